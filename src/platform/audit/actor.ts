import type { Client } from '../http/request.js'

/** Who does something, and from where. What does not apply or is not known is absent. */
export interface Actor {
  readonly userId?: string
  readonly accountId?: string
  /** The handle of the session in which it is done. */
  readonly sid?: string
  /** Null for what an operator does at the command line, or the service by itself. */
  readonly client: Client | null
  /** Who does it as an operator, and why. */
  readonly operator?: OperatorAction
}

/** Which operator acts, and why. */
export interface OperatorAction {
  /** The operator's id in the console; null at the command line. */
  readonly id: string | null
  /** Why, in their words; null where nothing changes, and at the command line without `--reason`. */
  readonly reason: string | null
}

/** The service itself, or a command whose operator gives no reason. */
export const SERVICE: Actor = { client: null }

/** The person who runs a command, with the reason that they give. */
export function atCommandLine(reason: string | undefined): Actor {
  return { client: null, operator: { id: null, reason: reason ?? null } }
}

/** The user to whom something is done. */
export interface TargetUser {
  readonly id: string
  readonly accountId: string
}

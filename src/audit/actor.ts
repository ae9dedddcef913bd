import type { Client } from '../http/client.js'

/** Who does something, and from where. Absent is what does not apply or is not known. */
export interface Actor {
  readonly userId?: string
  readonly accountId?: string
  /** The handle of the session that it is done with. */
  readonly sid?: string
  /** Null for what an operator does at the command line, or the service by itself. */
  readonly client: Client | null
}

/** Whoever can run the command line may do everything. */
export const OPERATOR: Actor = { client: null }

/** The user whom something is done to. */
export interface TargetUser {
  readonly id: string
  readonly accountId: string
}

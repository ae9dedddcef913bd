import type { DeviceId } from '../../anomalies/known-devices.js'
import type { Db } from '../../platform/database/connection.js'
import type { UsedRow } from '../../platform/database/statement.js'
import type { ErrorCode } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { Source } from '../../platform/permissions.js'
import type { Session, SessionId } from '../../sessions/session.js'
import type { Proof } from '../../sessions/sessions.service.js'
import type { User } from '../../users/user.js'

/** Where a login comes from, and what the client sends with it. */
export interface LoginContext {
  readonly source: Source
  readonly client: Client
  /** The sessions that the browser already had. */
  readonly sessionIds: readonly SessionId[]
  /** Null when the client has none yet; undefined when it keeps none and must not be given one. */
  readonly deviceId: DeviceId | null | undefined
  /** The value of the remembered device's cookie; main site only. */
  readonly rememberedDevice?: string | null
}

/** How a login without a password is confirmed in the transaction that records it. */
export interface LoginConfirmation {
  /** The latest time at which the session ends; left out for its usual lifetime. */
  readonly expiresBy?: Date
  /** For the audit log. */
  readonly detail: Readonly<Record<string, unknown>>
  /** Rows that the statement of the login uses up, in the order in which they are locked. */
  readonly uses?: readonly LoginUse[]
  /**
   * Calls `record` and returns its result. If anything else must hold, both happen in one transaction, and it
   * throws when that does not hold.
   */
  confirm<T>(session: Session, record: (transaction?: Db) => Promise<T>): Promise<T>
}

/** A row that is used up with a login. */
export interface LoginUse {
  readonly row: UsedRow
  readonly values: object
  /** What is thrown when the row is not there; left out for `TOO_BUSY`, after which the login begins again. */
  readonly refusal?: ErrorCode
}

/** Somebody who has proved who they are, and may be let in. */
export interface Login {
  readonly user: User
  readonly proof: Proof
  readonly context: LoginContext
  readonly confirmation?: LoginConfirmation
  /** The browser that stands for the second factor; null when none is needed, or one was used. */
  readonly remembered: LoginUse | null
}

import type { DeviceId } from '../../anomalies/device-id.js'
import type { Db } from '../../database/connection.js'
import type { UsedRow } from '../../database/statement.js'
import type { ErrorCode } from '../../errors/error-codes.js'
import type { Client } from '../../http/client.js'
import type { Source } from '../../permissions/permissions.js'
import type { Session, SessionId } from '../../sessions/session.js'
import type { Proof } from '../../sessions/sessions.service.js'
import type { User } from '../../users/user.js'

/** Where a login comes from, and what it brings. */
export interface LoginContext {
  readonly source: Source
  readonly client: Client
  /** The sessions that the browser already had. */
  readonly sessionIds: readonly SessionId[]
  /** Null when the client has none yet; undefined when it keeps none and must not be given one. */
  readonly deviceId: DeviceId | null | undefined
  /** What the cookie of a remembered device has; main site only. */
  readonly rememberedDevice?: string | null
}

/** What a login rests on that does not begin with a password. */
export interface LoginGrounds {
  /** When the session ends at the latest; left out for its usual end. */
  readonly expiresBy?: Date
  /** For the audit log. */
  readonly detail: Readonly<Record<string, unknown>>
  /** Rows that the statement of the login uses up, in the order in which they are locked. */
  readonly uses?: readonly LoginUse[]
  /** Calls `record` in a transaction of what else must be so, or without one, and throws when it is not. */
  confirm(session: Session, record: (transaction?: Db) => Promise<void>): Promise<void>
}

/** A row that is used up with a login. */
export interface LoginUse {
  readonly row: UsedRow
  readonly values: object
  /** What is thrown when it is not there. */
  readonly refusal: ErrorCode
}

/** Somebody who has proved who they are, and may be let in. */
export interface Login {
  readonly user: User
  readonly proof: Proof
  readonly context: LoginContext
  readonly grounds?: LoginGrounds
}

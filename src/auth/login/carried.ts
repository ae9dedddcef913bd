import type { DeviceId } from '../../anomalies/device-id.js'
import type { SessionId } from '../../sessions/session-id.js'

/** What a client sends with a login, besides the credentials. */
export interface Carried {
  /** The sessions that the browser already had. */
  readonly sessionIds: readonly SessionId[]
  /** Null when the client has none yet; undefined when it keeps none and must not be given one. */
  readonly deviceId: DeviceId | null | undefined
}

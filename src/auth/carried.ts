import type { DeviceId } from '../anomalies/device-id.js'
import type { SessionId } from '../sessions/session-id.js'

/** What a client brings to a login beside the credentials. */
export interface Carried {
  /** The sessions that the browser had until now. */
  readonly sessionIds: readonly SessionId[]
  /** Null when it has none yet; undefined when it keeps none, and is to be given none. */
  readonly deviceId: DeviceId | null | undefined
}

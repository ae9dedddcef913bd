import { Injectable } from '@nestjs/common'
import type { DeviceId } from '../anomalies/device-id.js'
import type { Client } from '../http/client.js'
import { LoginWatch } from '../sessions/login-watch.js'
import type { Session } from '../sessions/session.js'
import { SessionChanges } from '../sessions/session-changes.js'
import type { Carried } from './carried.js'

/** What comes between a recorded login and its answer. */
@Injectable()
export class AfterLogin {
  constructor(
    private readonly watch: LoginWatch,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Throws `INVALID_CREDENTIALS` for a login that is too unusual. The sessions that the browser carried until now end only
   * after that: else a refused login would tell, by their end, that the password was right. Returns the device id that
   * the client is to keep; null when it keeps none.
   */
  async check(session: Session, { sessionIds, deviceId }: Carried, client: Client): Promise<DeviceId | null> {
    const kept = await this.watch.loggedIn(session, deviceId, client)
    await this.changes.endReplaced(sessionIds, client)
    return kept
  }
}

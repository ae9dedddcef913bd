import { Injectable } from '@nestjs/common'
import type { DeviceId } from '../../anomalies/device-id.js'
import { LoginAnomalyCheck } from '../../anomalies/login-anomaly-check.js'
import type { Client } from '../../http/client.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session } from '../../sessions/session.js'
import type { Carried } from './carried.js'

/** What happens between recording a login and answering it. */
@Injectable()
export class AfterLogin {
  constructor(
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Throws `INVALID_CREDENTIALS` for a login that is too unusual. The browser's previous sessions end only
   * after that; otherwise a refused login would reveal, by ending them, that the password was right. Returns
   * the device id that the client must keep; null when it keeps none.
   */
  async check(session: Session, { sessionIds, deviceId }: Carried, client: Client): Promise<DeviceId | null> {
    const kept = await this.anomalyCheck.check(session, deviceId, client)
    await this.changes.endReplaced(sessionIds, client)
    return kept
  }
}

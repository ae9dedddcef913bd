import { Injectable } from '@nestjs/common'
import { GeoIp } from '../platform/geoip.js'
import type { Client } from '../platform/http/request.js'
import { Clock } from '../platform/time.js'
import type { Session } from '../sessions/session.js'
import { type ClientAddress, SessionStore } from '../sessions/stores/session-store.js'
import { refreshAnomaly } from './anomaly.js'
import { unusualUseNotice } from './anomaly-mails.js'
import { AnomalyResponse } from './anomaly-response.js'
import type { AffectedSession } from './unrecognized-login-tokens.js'

/** Judges the use of a session from elsewhere, and acts on it as the settings say. */
@Injectable()
export class RefreshAnomalyCheck {
  constructor(
    private readonly store: SessionStore,
    private readonly geoIp: GeoIp,
    private readonly response: AnomalyResponse,
    private readonly clock: Clock,
  ) {}

  /**
   * To be called when the client is no longer the same (`isSameClient`). Returns whether that has ended the
   * session, as the settings may ask for. The change is written to the store by compare-and-set, so exactly one
   * request on one replica reports it.
   */
  async check(session: Session, client: Client): Promise<boolean> {
    const now = this.clock.now()
    const anomaly = refreshAnomaly(
      { ...this.placed(session), at: session.lastUsed },
      { ...this.placed(client), at: now },
    )
    const actions = this.response.actionsFor(anomaly)
    const isEnded = actions.has('revoke')
    if (isEnded) await this.response.end(session, client)
    else if (actions.has('reauthenticate')) await this.store.voidAuthentication(session.sid, now)
    // Last, so that after a failure the next refresh still finds the change.
    const isOurs = isEnded || (await this.store.updateClient(session.sid, session, client, now))
    if (isOurs && actions.has('log')) this.response.recordAnomaly('refresh', anomaly, session, client)
    if (isOurs && actions.has('notify'))
      await this.response.notify(asOfLastUse(session), client, data => unusualUseNotice(data, isEnded))
    return isEnded
  }

  private placed({ ip, userAgent }: ClientAddress) {
    return { ip, userAgent, place: this.geoIp.locate(ip) }
  }
}

/** Until then the session was its user's: a report must not undo what they set up in it. */
function asOfLastUse({ lastUsed, ...session }: Session): AffectedSession {
  return { ...session, createdAt: lastUsed }
}

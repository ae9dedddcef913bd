import { Injectable } from '@nestjs/common'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { AnomalyAction } from '../platform/config/readers.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { GeoIp } from '../platform/geoip.js'
import { type Client, deviceName, firstAddressOf } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import { Clock } from '../platform/time.js'
import { isUnavailable } from '../sessions/change-feed.js'
import { SessionChanges } from '../sessions/changes.js'
import { handleOf, newSessionId, type Session } from '../sessions/session.js'
import { type ClientAddress, type OwnedSession, SessionStore } from '../sessions/session-store.js'
import {
  type Anomaly,
  type AnomalyReason,
  actionsFor,
  type ClientLocation,
  loginAnomaly,
  refreshAnomaly,
} from './anomaly.js'
import {
  AnomalyMails,
  type LoginRefusal,
  type Notice,
  type NoticeData,
  newDeviceNotice,
  unusualLoginNotice,
  unusualUseNotice,
} from './anomaly-mails.js'
import { type DeviceId, type KnownDevice, KnownDevices, type PresentedDevice } from './known-devices.js'
import type { AffectedSession } from './unrecognized-login-tokens.js'

/** Handles an anomaly of a session, as the settings say. */
@Injectable()
export class AnomalyResponse {
  private readonly logger = new Logger('AnomalyResponse')

  constructor(
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
    private readonly notices: AnomalyMails,
    private readonly changes: SessionChanges,
  ) {}

  /** Whether the settings let unusual logins be refused at all. */
  get mayRevoke(): boolean {
    return this.settings.anomalyPolicy.revoke !== undefined
  }

  /** What the settings say about this score. */
  actionsFor({ score }: Anomaly): ReadonlySet<AnomalyAction> {
    return actionsFor(score, this.settings.anomalyPolicy)
  }

  /** Writes the row without delaying the request: a refresh works while the database is down. */
  recordAnomaly(
    at: 'login' | 'refresh',
    { score, reasons }: Anomaly,
    session: OwnedSession,
    client: Client,
  ): void {
    const actions = [...this.actionsFor({ score, reasons })]
    const event = auditEvent({ ...session, client }, 'session.anomaly', { at, score, reasons, actions })
    this.auditLog.enqueue(event, actions.includes('revoke') ? 'refused' : 'ok')
  }

  /** Mails the user. A mail that fails is logged and refuses no login. */
  async notify(session: AffectedSession, client: Client, write: (data: NoticeData) => Notice): Promise<void> {
    try {
      await this.notices.send(session, client, write)
    } catch (error) {
      this.logger.error(`A mail about an anomaly could not be prepared: ${causeMessage(error)}`)
    }
  }

  /** Ends the session, once: the next refresh would find no session to mail the user about. */
  async end(session: OwnedSession, client: Client): Promise<void> {
    await this.changes.end(session, client, 'anomaly')
  }
}

/** A session that has just begun, or would have. */
type AffectedLogin = OwnedSession & AffectedSession

/**
 * The refusal of a login that is too unusual: an attacker who has guessed or bought the password must not learn that
 * it is right.
 */
export class UnusualLogin extends ApiError {
  constructor(readonly anomaly: Anomaly) {
    super('INVALID_CREDENTIALS')
  }
}

/** Always mailed. */
const NEW_DEVICES: ReadonlySet<AnomalyReason> = new Set(['new device', 'new device id'])

/** Detects logins from where the user does not usually log in, and acts on them as the settings say. */
@Injectable()
export class LoginAnomalyCheck {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly geoIp: GeoIp,
    private readonly response: AnomalyResponse,
    private readonly clock: Clock,
  ) {}

  /** Whether the settings let unusual logins be refused at all. */
  get mayRefuse(): boolean {
    return this.response.mayRevoke
  }

  /**
   * Records what a login comes from, in its transaction. `isSuspicious`: the settings let it count as no
   * re-authentication. With `revoke`, throws {@link UnusualLogin} for one that is too unusual: once the transaction is
   * rolled back, nothing is known of it, not even to a login at the same moment.
   */
  async record(
    transaction: Db,
    { userId }: Pick<OwnedSession, 'userId'>,
    presented: DeviceId | null | undefined,
    client: Client,
  ): Promise<{ readonly device: KnownDevice; readonly isSuspicious: boolean }> {
    const device = await this.knownDevices.remember(transaction, userId, presentedDevice(presented, client))
    const anomaly = this.anomalyOf(device, client)
    const actions = this.response.actionsFor(anomaly)
    if (actions.has('revoke')) throw new UnusualLogin(anomaly)
    return { device, isSuspicious: actions.has('reauthenticate') }
  }

  /** Mails the user about a login that {@link record} has refused; its session was never given out. */
  notifyRefused(session: AffectedLogin, client: Client, { anomaly }: UnusualLogin): Promise<void> {
    return this.notify(session, client, anomaly, 'unusual')
  }

  /** Mails the user about a login that {@link record} has recorded, if its device is new or anything is unusual. */
  async notifyOpened(session: AffectedLogin, device: KnownDevice, client: Client): Promise<void> {
    await this.notify(session, client, this.anomalyOf(device, client), null)
  }

  /**
   * For a user with the right password who is sent to the main site and so has no session: mails as {@link notifyOpened}
   * does, and throws like {@link record}. Remembers nothing.
   */
  async checkHandoffRequired(
    user: Pick<OwnedSession, 'userId' | 'accountId'>,
    presented: DeviceId | null | undefined,
    client: Client,
  ): Promise<void> {
    const anomaly = await this.assess(user, presented, client)
    const isRefused = this.response.actionsFor(anomaly).has('revoke')
    await this.notify(withoutSession(user), client, anomaly, isRefused ? 'unusual' : 'hand-off required')
    if (isRefused) throw new UnusualLogin(anomaly)
  }

  /**
   * For a user with the right password who still has to use a second factor. Where the settings let unusual
   * logins be refused, it mails and throws for such a login, so as not to confirm the password; otherwise the
   * second step mails the user. Remembers nothing.
   */
  async checkFirstStep(
    user: Pick<OwnedSession, 'userId' | 'accountId'>,
    presented: DeviceId | null | undefined,
    client: Client,
  ): Promise<void> {
    if (!this.mayRefuse) return
    const anomaly = await this.assess(user, presented, client)
    if (!this.response.actionsFor(anomaly).has('revoke')) return
    await this.notify(withoutSession(user), client, anomaly, 'unusual')
    throw new UnusualLogin(anomaly)
  }

  private async assess(
    { userId }: Pick<OwnedSession, 'userId'>,
    presented: DeviceId | null | undefined,
    client: Client,
  ): Promise<Anomaly> {
    return this.anomalyOf(await this.knownDevices.compare(userId, presentedDevice(presented, client)), client)
  }

  private anomalyOf({ known, before }: KnownDevice, client: Client): Anomaly {
    return loginAnomaly(known, before && this.previousLocation(before), this.currentLocation(client))
  }

  private async notify(
    session: AffectedLogin,
    client: Client,
    anomaly: Anomaly,
    refusal: LoginRefusal | null,
  ): Promise<void> {
    if (anomaly.score === 0) return
    const actions = this.response.actionsFor(anomaly)
    if (actions.has('log')) this.response.recordAnomaly('login', anomaly, session, client)
    const isNewDevice = anomaly.reasons.some(reason => NEW_DEVICES.has(reason))
    if (isNewDevice || actions.has('notify'))
      await this.response.notify(session, client, data =>
        (isNewDevice ? newDeviceNotice : unusualLoginNotice)(data, refusal),
      )
  }

  private previousLocation({ network, at }: NonNullable<KnownDevice['before']>): ClientLocation {
    return { ip: network, place: this.geoIp.locate(firstAddressOf(network)), at }
  }

  private currentLocation({ ip }: Client): ClientLocation {
    return { ip, place: this.geoIp.locate(ip), at: this.clock.now() }
  }
}

function presentedDevice(deviceId: DeviceId | null | undefined, { userAgent, ip }: Client): PresentedDevice {
  return { device: deviceName(userAgent), ip, deviceId }
}

/** Mails and audit rows need a session to refer to. */
function withoutSession(user: Pick<OwnedSession, 'userId' | 'accountId'>): AffectedLogin {
  return { ...user, sid: handleOf(newSessionId()), createdAt: null }
}

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
   * request on one replica reports it. While the database does not answer none does, unless something has to be done
   * about the session: that throws `DATABASE_UNAVAILABLE`.
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
    const isOurs = isEnded || (await this.isFirstToNote(session, client, now))
    if (isOurs && actions.has('log')) this.response.recordAnomaly('refresh', anomaly, session, client)
    if (isOurs && actions.has('notify'))
      await this.response.notify(asOfLastUse(session), client, data => unusualUseNotice(data, isEnded))
    return isEnded
  }

  private async isFirstToNote(session: Session, client: Client, now: Date): Promise<boolean> {
    try {
      return await this.store.updateClient(session.sid, session, client, now)
    } catch (error) {
      if (isUnavailable(error)) return false
      throw error
    }
  }

  private placed({ ip, userAgent }: ClientAddress) {
    return { ip, userAgent, place: this.geoIp.locate(ip) }
  }
}

/** Until then the session was its user's: a report must not undo what they set up in it. */
function asOfLastUse({ lastUsed, ...session }: Session): AffectedSession {
  return { ...session, createdAt: lastUsed }
}

import { Injectable } from '@nestjs/common'
import { ApiError } from '../platform/errors/api-error.js'
import { GeoIp } from '../platform/geoip.js'
import { type Client, deviceName, firstAddressOf } from '../platform/http/request.js'
import { Clock } from '../platform/time.js'
import { handleOf, newSessionId } from '../sessions/session.js'
import type { OwnedSession } from '../sessions/user-sessions.js'
import { type Anomaly, type AnomalyReason, type ClientLocation, loginAnomaly } from './anomaly.js'
import { type LoginRefusal, newDeviceNotice, unusualLoginNotice } from './anomaly-mails.js'
import { AnomalyResponse } from './anomaly-response.js'
import type { DeviceId } from './device-id.js'
import { type KnownDevice, KnownDevices, type PresentedDevice, type SeenDevice } from './known-devices.js'
import type { AffectedSession } from './unrecognized-login-tokens.js'

/** A session that has just begun, or would have. */
type AffectedLogin = OwnedSession & AffectedSession

/**
 * The refusal of a login that is too unusual: somebody who has guessed or bought the password must not learn
 * that it is right.
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

  /** What the login comes from, for the statement that records it: see {@link DEVICE_PARTS}. */
  seenAt(userId: string, presented: DeviceId | null | undefined, client: Client): SeenDevice {
    return this.knownDevices.seenAt(userId, presentedDevice(presented, client))
  }

  /** Whether the settings let unusual logins be refused at all. */
  get mayRefuse(): boolean {
    return this.response.mayRevoke
  }

  /**
   * With `revoke`, throws {@link UnusualLogin} for a login that is too unusual. Call it in the transaction that
   * records the login: once that is rolled back, nothing is known of it, not even to a login at the same moment.
   */
  requireUsual(device: KnownDevice, client: Client): void {
    const anomaly = this.anomalyOf(device, client)
    if (this.response.actionsFor(anomaly).has('revoke')) throw new UnusualLogin(anomaly)
  }

  /** Mails the user about a login that {@link requireUsual} has refused; its session was never given out. */
  notifyRefused(session: AffectedLogin, client: Client, { anomaly }: UnusualLogin): Promise<void> {
    return this.notify(session, client, anomaly, 'unusual')
  }

  /** Mails the user about a new device, which must have been recorded. */
  async check(session: AffectedLogin, device: KnownDevice, client: Client): Promise<void> {
    await this.notify(session, client, this.anomalyOf(device, client), null)
  }

  /**
   * For a user with the right password who is sent to the main site and so has no session: mails as {@link check}
   * does, and throws like {@link requireUsual}. Remembers nothing.
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

import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { ApiError } from '../errors/api-error.js'
import { GeoIp } from '../geoip/geoip.js'
import { type Client, deviceName } from '../http/client.js'
import { firstAddressOf, subnetOf } from '../http/network.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import { handleOf, newSessionId } from '../sessions/session.js'
import type { OwnedSession } from '../sessions/user-sessions.js'
import { type Anomaly, type AnomalyReason, type ClientLocation, loginAnomaly } from './anomaly.js'
import { type LoginRefusal, newDeviceNotice, unusualLoginNotice } from './anomaly-mails.js'
import { AnomalyResponse } from './anomaly-response.js'
import type { DeviceId } from './device-id.js'
import { type KnownDevice, KnownDevices, type LoginOrigin, type SeenDevice } from './known-devices.js'
import type { AffectedSession } from './unrecognized-login-tokens.js'

/** A session that has just begun, or would have. */
type AffectedLogin = OwnedSession & AffectedSession

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
    private readonly changes: SessionChanges,
  ) {}

  /** What the login comes from, for the statement that records it: see {@link DEVICE_PARTS}. */
  seenAt(userId: string, presented: DeviceId | null | undefined, client: Client): SeenDevice {
    return this.knownDevices.seenAt(userId, originOf(presented, client))
  }

  /**
   * Mails the user about a new device, which must have been recorded. With `revoke`, the session ends and this
   * throws `INVALID_CREDENTIALS`, so that somebody who has guessed or bought the password does not learn that it
   * is right.
   */
  async check(session: AffectedLogin, device: KnownDevice, client: Client): Promise<void> {
    const anomaly = this.anomalyOf(device, client)
    if (anomaly.score > 0) await this.respond(session, client, device, anomaly, null)
  }

  /**
   * The same for a user with the right password who is sent to the main site and so has no session: mails and
   * throws as {@link check} does. Remembers nothing.
   */
  async checkHandoffRequired(
    user: Pick<OwnedSession, 'userId' | 'accountId'>,
    presented: DeviceId | null | undefined,
    client: Client,
  ): Promise<void> {
    // Nobody has this session; mails and audit rows need one to refer to.
    const session = { ...user, sid: handleOf(newSessionId()), createdAt: null }
    const { device, anomaly } = await this.assess(session, presented, client)
    await this.refuse(session, client, device)
    if (anomaly.score > 0) await this.respond(session, client, device, anomaly, 'hand-off required')
  }

  /**
   * The same for a user with the right password who still has to use a second factor. Where the settings let
   * unusual logins be refused, it throws for such a login, so as not to confirm the password; otherwise the
   * second step mails the user.
   */
  async checkFirstStep(
    user: Pick<OwnedSession, 'userId' | 'accountId'>,
    presented: DeviceId | null | undefined,
    client: Client,
  ): Promise<void> {
    if (!this.response.mayRevoke) return
    const session = { ...user, sid: handleOf(newSessionId()), createdAt: null }
    const { device, anomaly } = await this.assess(session, presented, client)
    await this.refuse(session, client, device)
    if (this.response.actionsFor(anomaly).has('revoke'))
      await this.respond(session, client, device, anomaly, 'unusual')
  }

  /** Records what the login came from. */
  private async assess({ userId }: OwnedSession, presented: DeviceId | null | undefined, client: Client) {
    const device = await this.knownDevices.remember(userId, originOf(presented, client))
    return { device, anomaly: this.anomalyOf(device, client) }
  }

  private anomalyOf({ known, before }: KnownDevice, client: Client): Anomaly {
    return loginAnomaly(known, before && this.previousLocation(before), this.currentLocation(client))
  }

  private async respond(
    session: AffectedLogin,
    client: Client,
    device: KnownDevice,
    anomaly: Anomaly,
    otherRefusal: LoginRefusal | null,
  ): Promise<void> {
    const actions = this.response.actionsFor(anomaly)
    const refusal = actions.has('revoke') ? 'unusual' : otherRefusal
    if (refusal === 'unusual') await this.refuse(session, client, device)
    if (actions.has('log')) this.response.note('login', anomaly, session, client)
    const isNewDevice = anomaly.reasons.some(reason => NEW_DEVICES.has(reason))
    if (isNewDevice || actions.has('notify'))
      await this.response.notify(session, client, data =>
        (isNewDevice ? newDeviceNotice : unusualLoginNotice)(data, refusal),
      )
    if (refusal === 'unusual') throw new ApiError('INVALID_CREDENTIALS')
  }

  /** Forgets what was new; otherwise the next login from there would pass as known. */
  private async refuse(
    session: OwnedSession,
    client: Client,
    { known, deviceId }: KnownDevice,
  ): Promise<void> {
    const news = {
      ...(!known?.device && { device: deviceName(client.userAgent) }),
      ...(!known?.network && { network: subnetOf(client.ip) }),
      ...(!known?.deviceId && deviceId && { deviceId }),
    }
    await this.changes.durably(async transaction => {
      await this.knownDevices.forget(transaction, session.userId, news)
      return this.response.recordEnd(transaction, session, client)
    })
  }

  private previousLocation({ network, at }: NonNullable<KnownDevice['before']>): ClientLocation {
    return { ip: network, place: this.geoIp.locate(firstAddressOf(network)), at }
  }

  private currentLocation({ ip }: Client): ClientLocation {
    return { ip, place: this.geoIp.locate(ip), at: this.clock.now() }
  }
}

function originOf(deviceId: DeviceId | null | undefined, { userAgent, ip }: Client): LoginOrigin {
  return { device: deviceName(userAgent), ip, deviceId }
}

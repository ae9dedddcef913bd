import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { ApiError } from '../errors/api-error.js'
import { GeoIp } from '../geoip/geoip.js'
import { type Client, deviceName } from '../http/client.js'
import { firstAddressOf, subnetOf } from '../http/network.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Session } from '../sessions/session.js'
import { type Anomaly, type AnomalyReason, type ClientLocation, loginAnomaly } from './anomaly.js'
import { newDeviceMail, unusualLoginMail } from './anomaly-mails.js'
import { AnomalyResponse } from './anomaly-response.js'
import type { DeviceId } from './device-id.js'
import { type KnownDevice, KnownDevices } from './known-devices.js'

/** Always mailed. */
const NEW_DEVICES: ReadonlySet<AnomalyReason> = new Set(['new device', 'new device id'])

/** Notices logins from where the user does not usually log in, and does what the settings say. */
@Injectable()
export class LoginAnomalyCheck {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly geoIp: GeoIp,
    private readonly response: AnomalyResponse,
    private readonly clock: Clock,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Records what the login came from and mails the user about a new device. With `revoke`, the session ends
   * and this throws `INVALID_CREDENTIALS`, so that whoever has guessed or bought the password does not learn
   * that it is right. Returns the device id that the client is to keep; null for one that keeps none.
   */
  async check(
    session: Session,
    presented: DeviceId | null | undefined,
    client: Client,
  ): Promise<DeviceId | null> {
    const from = { device: deviceName(client.userAgent), ip: client.ip, deviceId: presented }
    const device = await this.knownDevices.remember(session.userId, from)
    const { known, before, deviceId } = device
    const anomaly = loginAnomaly(known, before && this.previousLocation(before), this.currentLocation(client))
    if (anomaly.score > 0) await this.respond(session, client, device, anomaly)
    return deviceId
  }

  private async respond(
    session: Session,
    client: Client,
    device: KnownDevice,
    anomaly: Anomaly,
  ): Promise<void> {
    const actions = this.response.actionsFor(anomaly)
    const isRefused = actions.has('revoke')
    if (isRefused) await this.refuse(session, client, device)
    if (actions.has('log')) this.response.note('login', anomaly, session, client)
    const isNewDevice = anomaly.reasons.some(reason => NEW_DEVICES.has(reason))
    if (isNewDevice || actions.has('notify'))
      await this.response.notify(session, client, data =>
        (isNewDevice ? newDeviceMail : unusualLoginMail)(data, isRefused),
      )
    if (isRefused) throw new ApiError('INVALID_CREDENTIALS')
  }

  /** Forgets what was new; otherwise the next login from there would pass as known. */
  private async refuse(session: Session, client: Client, { known, deviceId }: KnownDevice): Promise<void> {
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

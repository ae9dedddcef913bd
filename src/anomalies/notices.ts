import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { formatLocation, GeoIp } from '../geoip/geoip.js'
import type { Client } from '../http/client.js'
import { deviceName } from '../http/device-name.js'
import type { Mail } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { Links } from '../mail/site-urls.js'
import { networkOf } from './network.js'
import { type AffectedSession, UnrecognizedLoginTokens } from './not-me-tokens.js'
import type { NoticeData } from './unusual-activity.mail.js'

/** Mails users about what may not have been them, with a link to say so. */
@Injectable()
export class Notices {
  constructor(
    private readonly tokens: UnrecognizedLoginTokens,
    private readonly mailer: Mailer,
    private readonly links: Links,
    private readonly geoIp: GeoIp,
    private readonly clock: Clock,
  ) {}

  /** Mails the user the result of `write`, once in 24 hours for a session and ten times for all of them. */
  async send(
    concerned: AffectedSession,
    client: Client,
    write: (noticed: NoticeData) => Mail,
  ): Promise<void> {
    const device = deviceName(client.userAgent)
    const issued = await this.tokens.issue(concerned, { device, network: networkOf(client.ip) })
    if (!issued) return
    const noticed = {
      site: this.links.siteName(client.origin),
      device,
      place: formatLocation(this.geoIp.locate(client.ip)),
      at: this.clock.now(),
      url: this.links.toMainSite('/not-me', issued.token),
    }
    this.mailer.post(issued.email, write(noticed))
  }
}

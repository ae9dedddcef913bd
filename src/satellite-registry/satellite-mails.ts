import { Injectable } from '@nestjs/common'
import { type Mail, utcDay } from '../mail/mail.js'
import { safeName } from '../mail/safe-name.js'
import { SiteUrls } from '../mail/site-urls.js'
import { proofChallenge } from '../satellites/proof/proof-challenge.js'
import { PeopleInCharge } from '../users/people-in-charge.js'
import type { RegisteredSatellite, SatelliteRow } from './registered-satellite.js'

/**
 * The mails about the proof of a satellite, to everybody who may change the account's settings. They do not say what
 * was found instead: somebody else's server wrote that.
 */
@Injectable()
export class SatelliteMails {
  constructor(
    private readonly people: PeopleInCharge,
    private readonly urls: SiteUrls,
  ) {}

  /** A daily check has not found the proof. */
  tellFailing({ satellite, proof }: RegisteredSatellite, suspendAt: Date): Promise<void> {
    const { name, host } = namesOf(satellite)
    return this.tell(satellite, {
      subject: `The proof that ${host} is yours was not found`,
      paragraphs: [
        `Every day we check that the host of your satellite ${name} is still yours. This time the proof was not there.`,
        whereItBelongs(satellite.origin, proof.token),
        `Without it, the satellite is suspended on ${utcDay(suspendAt)}: nobody can log in there from then on. Until then everything works as usual.`,
      ],
    })
  }

  tellSuspended({ satellite, proof }: RegisteredSatellite): Promise<void> {
    const { name, host } = namesOf(satellite)
    return this.tell(satellite, {
      subject: `Your satellite ${host} has been suspended`,
      paragraphs: [
        `For 7 days we have not found the proof that the host of your satellite ${name} is yours, so it has been suspended. Nobody can log in there.`,
        whereItBelongs(satellite.origin, proof.token),
        'Once it is there again, you can resume the satellite. Until then others who prove that the host is theirs can have it.',
      ],
    })
  }

  /** To the account that had the origin before. */
  tellMoved(satellite: SatelliteRow): Promise<void> {
    const { name, host } = namesOf(satellite)
    return this.tell(satellite, {
      subject: `${host} is now a satellite of another account`,
      paragraphs: [
        `Another account has proven that the host of your satellite ${name} is theirs, and your own proof was no longer there. Your users cannot log in there any more, and all their sessions there have ended.`,
        'If the host is yours, find out who can change its DNS records or its files. Then prove your satellite again.',
      ],
    })
  }

  private tell(
    { accountId, branding }: SatelliteRow,
    mail: Pick<Mail, 'subject' | 'paragraphs'>,
  ): Promise<void> {
    const site = this.urls.siteName(null)
    const action = { label: `Go to ${site}`, url: this.urls.frontPage() }
    return this.people.mail(accountId, { ...mail, site, action, ...(branding && { branding }) })
  }
}

function namesOf({ name, origin }: SatelliteRow): { name: string; host: string } {
  const { host } = new URL(origin)
  const safe = safeName(name)
  return { name: safe ? `${safe} (${host})` : host, host }
}

function whereItBelongs(origin: string, token: string): string {
  const { dns, file } = proofChallenge(origin, token)
  const orFile = file ? `, or the file ${file.url} with the same text` : ''
  return `It is the TXT record ${dns.name} with the text "${dns.value}"${orFile}.`
}

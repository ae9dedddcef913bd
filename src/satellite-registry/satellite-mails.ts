import { Injectable } from '@nestjs/common'
import { type Mail, utcDay } from '../mail/mail.js'
import { safeName } from '../mail/safe-name.js'
import { SiteUrls } from '../mail/site-urls.js'
import { proofChallenge } from '../satellites/proof/proof-challenge.js'
import { PeopleInCharge } from '../users/people-in-charge.js'
import type { RegisteredSatellite, SatelliteRow } from './registered-satellite.js'

/** A satellite whose proof the daily check has not found, and what that means for it. */
export interface MissingProof extends RegisteredSatellite {
  readonly outcome: 'missing' | 'suspended' | 'may be taken'
  /** If it stays missing. */
  readonly suspendAt: Date
}

/**
 * The mails about the proof of a satellite, to everybody who may change the account's settings. They do not
 * say what was found instead: somebody else's server wrote that.
 */
@Injectable()
export class SatelliteMails {
  constructor(
    private readonly people: PeopleInCharge,
    private readonly urls: SiteUrls,
  ) {}

  /** What a run of the daily check has not found of one account, in one mail. */
  async tellMissing(missing: readonly MissingProof[]): Promise<void> {
    const [first, ...others] = missing
    if (!first) return
    if (others.length > 0) return this.tellAll(missing, first.satellite)
    return first.outcome === 'suspended' ? this.tellSuspended(first) : this.tellFailing(first)
  }

  private tellFailing(missing: MissingProof): Promise<void> {
    const { name, host } = namesOf(missing.satellite)
    return this.tell(missing.satellite, {
      subject: `The proof that ${host} is yours was not found`,
      paragraphs: [
        `Every day we check that the host of your satellite ${name} is still yours. This time the proof was not there.`,
        whereItBelongs(missing),
        whatFollows(missing),
      ],
    })
  }

  private tellSuspended(missing: MissingProof): Promise<void> {
    const { satellite } = missing
    const { name, host } = namesOf(satellite)
    return this.tell(satellite, {
      subject: `Your satellite ${host} has been suspended`,
      paragraphs: [
        `For 7 days we have not found the proof that the host of your satellite ${name} is yours, so it has been suspended. Nobody can log in there.`,
        whereItBelongs(missing),
        'Once it is there again, you can resume the satellite. Until then others who prove that the host is theirs can have it.',
      ],
    })
  }

  private tellAll(missing: readonly MissingProof[], satellite: SatelliteRow): Promise<void> {
    // They may all look different.
    const plain = { ...satellite, branding: null }
    return this.tell(plain, {
      subject: `The proofs that ${missing.length} hosts are yours were not found`,
      paragraphs: [
        'Every day we check that the hosts of your satellites are still yours. This time these proofs were not there.',
        ...missing.map(
          each => `${namesOf(each.satellite).name}: ${whereItBelongs(each)} ${whatFollows(each)}`,
        ),
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

function whatFollows({ outcome, suspendAt }: MissingProof): string {
  if (outcome === 'suspended')
    return 'It has been missing for 7 days, so the satellite has been suspended: nobody can log in there.'
  if (outcome === 'may be taken')
    return 'The satellite is suspended. Until the proof is there again, others who prove that the host is theirs can have it.'
  return `Without it, the satellite is suspended on ${utcDay(suspendAt)}: nobody can log in there from then on. Until then everything works as usual.`
}

function whereItBelongs({ satellite: { origin }, proof: { token } }: RegisteredSatellite): string {
  const { dns, file } = proofChallenge(origin, token)
  const orFile = file ? `, or the file ${file.url} with the same text` : ''
  return `It is the TXT record ${dns.name} with the text "${dns.value}"${orFile}.`
}

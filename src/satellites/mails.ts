import { Injectable } from '@nestjs/common'
import type { MailLanguage } from '../mail/language.js'
import { safeName } from '../mail/layout.js'
import type { MailName } from '../mail/messages/translated.js'
import { SiteUrls } from '../mail/site-urls.js'
import { AccountAdmins } from '../users/notices/account-admins.js'
import { proofChallenge } from './proof.js'
import type { RegisteredSatellite, SatelliteRow } from './registered-satellites.js'

/** A satellite whose proof the daily check has not found, and the consequences. */
export interface MissingProof extends RegisteredSatellite {
  readonly outcome: 'missing' | 'suspended' | 'may be taken'
  /** When it will be suspended if the proof stays missing. */
  readonly suspendAt: Date
}

/**
 * Of those that are only missing: an account can have thousands of satellites, and nobody would read a mail about all
 * of them. What no longer works, or can be taken, is said once, so it is always named.
 */
const MISSING_NAMED = 10

/**
 * Mails about the proof of a satellite, to its account's administrators. They do not say what was
 * found instead, and have no branding of the satellite: what its host serves, such as a logo, may be somebody else's.
 */
@Injectable()
export class SatelliteMails {
  constructor(
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
  ) {}

  /** What a run of the daily check has not found for one account, in one mail; {@link toBeNamed} says which. */
  async notifyMissing(missing: readonly MissingProof[]): Promise<void> {
    const [first, ...others] = missing
    if (!first) return
    if (others.length > 0) return this.notifySummary(missing, first.satellite)
    return first.outcome === 'suspended' ? this.notifySuspended(first) : this.notifyFailing(first)
  }

  private notifyFailing(missing: MissingProof): Promise<void> {
    return this.notify(missing.satellite, 'proofMissing', words => ({
      place: whereItBelongs(words, missing),
      consequence: whatFollows(words, missing),
    }))
  }

  private notifySuspended(missing: MissingProof): Promise<void> {
    return this.notify(missing.satellite, 'satelliteSuspended', words => ({
      place: whereItBelongs(words, missing),
    }))
  }

  private notifySummary(missing: readonly MissingProof[], { accountId }: SatelliteRow): Promise<void> {
    return this.admins.mail(accountId, words => {
      const mail = words.mail('proofsMissing', { ...this.urls.mainSite, count: missing.length })
      const named = toBeNamed(missing)
      const each = named.flatMap(proof => [
        `${namesOf(proof.satellite).name}: ${whatFollows(words, proof)}`,
        whereItBelongs(words, proof),
      ])
      const count = missing.length - named.length
      const others = count > 0 ? [words.phrase('proof.others', { count })] : []
      return { ...mail, paragraphs: [...mail.paragraphs, ...each, ...others] }
    })
  }

  /** To the account that had the origin before. */
  notifyMoved(satellite: SatelliteRow): Promise<void> {
    return this.notify(satellite, 'satelliteMoved')
  }

  private notify(
    satellite: SatelliteRow,
    name: MailName,
    valuesOf: (words: MailLanguage) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<void> {
    return this.admins.mail(satellite.accountId, words =>
      words.mail(name, { ...this.urls.mainSite, ...namesOf(satellite), ...valuesOf(words) }),
    )
  }
}

function namesOf({ name, origin }: SatelliteRow): { name: string; host: string } {
  const { host } = new URL(origin)
  const safe = safeName(name)
  return { name: safe ? `${safe} (${host})` : host, host }
}

/** The most urgent first: what no longer works, then what others can take, then what is suspended next. */
function toBeNamed(missing: readonly MissingProof[]): MissingProof[] {
  const bySuspension = missing.toSorted((one, other) => one.suspendAt.getTime() - other.suspendAt.getTime())
  const of = (outcome: MissingProof['outcome']) => bySuspension.filter(proof => proof.outcome === outcome)
  return [...of('suspended'), ...of('may be taken'), ...of('missing').slice(0, MISSING_NAMED)]
}

function whatFollows(words: MailLanguage, { outcome, suspendAt }: MissingProof): string {
  if (outcome === 'suspended') return words.phrase('proof.suspended')
  if (outcome === 'may be taken') return words.phrase('proof.mayBeTaken')
  return words.phrase('proof.suspendsOn', { day: words.day(suspendAt) })
}

function whereItBelongs(
  words: MailLanguage,
  { satellite: { origin }, proof: { token } }: RegisteredSatellite,
): string {
  const { dns, file } = proofChallenge(origin, token)
  const record = { record: dns.name, text: dns.value }
  return file
    ? words.phrase('proof.placeWithFile', { ...record, file: file.url })
    : words.phrase('proof.place', record)
}

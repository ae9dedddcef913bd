import type { MailLanguage } from '../mail/language.js'
import { safeName } from '../mail/layout.js'
import type { Mail } from '../mail/mail.js'
import type { SiteUrls } from '../mail/site-urls.js'
import { proofChallenge } from './proof.js'
import type { RegisteredSatellite, SatelliteRow } from './registered-satellites.js'

/** A satellite whose proof the daily check has not found, and the consequences. */
export interface MissingProof extends RegisteredSatellite {
  readonly outcome: 'missing' | 'suspended' | 'may be taken'
  /** When it will be suspended if the proof stays missing. */
  readonly suspendAt: Date
}

/**
 * Of those that are only missing: an account can have thousands of satellites, and no owner would read a mail about all
 * of them. What no longer works, or can be taken, is said once, so it is always named.
 */
const MISSING_NAMED = 10

/*
 * Mails about the proofs of satellites, to the administrators of their account. They do not say what was found
 * instead, and have no branding of the satellite: what its host serves, such as a logo, may be an attacker's.
 */

/** What a run of the daily check has not found for one account, which must be something; {@link toBeNamed} says which. */
export function missingProofsMail(
  words: MailLanguage,
  { mainSite }: Pick<SiteUrls, 'mainSite'>,
  missing: readonly MissingProof[],
): Mail {
  const [first] = missing
  if (first && missing.length === 1) {
    const values = { ...mainSite, ...namesOf(first.satellite), place: whereItBelongs(words, first) }
    return first.outcome === 'suspended'
      ? words.mail('satelliteSuspended', values)
      : words.mail('proofMissing', { ...values, consequence: whatFollows(words, first) })
  }
  const mail = words.mail('proofsMissing', { ...mainSite, count: missing.length })
  const named = toBeNamed(missing)
  const each = named.flatMap(proof => [
    `${namesOf(proof.satellite).name}: ${whatFollows(words, proof)}`,
    whereItBelongs(words, proof),
  ])
  const count = missing.length - named.length
  const others = count > 0 ? [words.phrase('proof.others', { count })] : []
  return { ...mail, paragraphs: [...mail.paragraphs, ...each, ...others] }
}

/** To the account that had the origin before. */
export function originMovedMail(
  words: MailLanguage,
  { mainSite }: Pick<SiteUrls, 'mainSite'>,
  satellite: SatelliteRow,
): Mail {
  return words.mail('satelliteMoved', { ...mainSite, ...namesOf(satellite) })
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

import { PERMISSIONS, permissionName } from '../../../../pieces/permission-names.js'
import { hostOf } from '../../../../pieces/site.js'
import type { AuditEntry } from '../../../answers.js'
import { wordsFor } from './audit-words.js'

/** E-mail addresses by user id. */
export type People = Readonly<Record<string, string>>

/** What the service does by itself, or an operator at the command line. */
const SERVICE = 'The service'
const GONE = 'a former member'

/** Who did what to whom, in a sentence without its period. */
export function sentenceOf(entry: AuditEntry, people: People): string {
  const { action, outcome } = entry
  const { did, tried } = wordsIn(entry)
  const who = actorOf(entry, people)
  const whom = subjectOf(entry, people)
  if (isHalfWay(entry)) return `Somebody entered the password of ${who} and was asked for a second factor`
  if (isProofAsked(entry))
    return `${who} was asked to confirm that it was them before they could ${filled(tried, whom)}`
  if (action === 'login' && outcome !== 'ok') return `Somebody tried to log in as ${who}`
  if (action === 'rate.limit') return `${who} made too many attempts`
  if (action === 'user.create' && who === SERVICE) return `${who} added ${whom} to the team`
  return outcome === 'ok' ? `${who} ${filled(did, whom)}` : `${who} tried to ${filled(tried, whom)}`
}

/** The words for what was done, with the satellite that it was done to, if any. */
function wordsIn({ action, detail }: AuditEntry): { readonly did: string; readonly tried: string } {
  const { did, tried } = wordsFor(action, detail.step) ?? { did: `did “${action}”`, tried: `do “${action}”` }
  const host = typeof detail.origin === 'string' ? hostOf(detail.origin) : 'that is gone'
  return { did: did.replace('{satellite}', host), tried: tried.replace('{satellite}', host) }
}

/** A refusal that is part of every sensitive change: nothing to worry about. */
export function isProofAsked(entry: AuditEntry): boolean {
  if (isHalfWay(entry)) return true
  const { outcome, detail } = entry
  const { reason } = detail
  return outcome === 'refused' && (reason === 'REAUTHENTICATION_REQUIRED' || reason === 'STEP_UP_REQUIRED')
}

const FACTOR_NAMES: Readonly<Record<string, string>> = { totp: 'authenticator app', passkey: 'passkey' }

const COVERED_NAMES: Readonly<Record<string, string>> = {
  off: 'required of: nobody',
  payments: 'required of: whoever may make payments',
  managers: 'required of: whoever manages something',
  everyone: 'required of: everybody',
}

/** The first step of a login that has two. */
function isHalfWay({ action, outcome, detail }: AuditEntry): boolean {
  return action === 'login' && outcome === 'refused' && detail.reason === 'second factor required'
}

/** What it was about beside whom; empty when there is no more to say. */
export function detailsOf({ detail }: AuditEntry): string {
  const { granted, permissions = granted, satellites, from, to, name, factor, required } = detail
  const parts = [
    FACTOR_NAMES[String(factor)],
    COVERED_NAMES[String(required)],
    typeof detail.paymentStepUpMinutes === 'number' &&
      `payments: with a second factor of the last ${detail.paymentStepUpMinutes} minutes`,
    isRecord(permissions) && `may: ${given(permissions)}`,
    satellites === null && 'may log in: all sites',
    Array.isArray(satellites) &&
      `may log in: ${satellites.map(origin => hostOf(String(origin))).join(', ') || 'no site'}`,
    isEmail(from) && isEmail(to) && `from ${from} to ${to}`,
    typeof name === 'string' && `“${name}”`,
  ]
  return parts.filter(Boolean).join(' · ')
}

function actorOf({ userId, email, ip, detail }: AuditEntry, people: People): string {
  if (typeof detail.by === 'string') return people[detail.by] ?? capital(GONE)
  if (ip === null) return SERVICE
  if (userId) return email ?? capital(GONE)
  return typeof detail.email === 'string' ? detail.email : 'Somebody'
}

/** Null where somebody did it to themselves. */
function subjectOf({ userId, email, ip, detail }: AuditEntry, people: People): string | null {
  // Of a transfer: the row itself is about who owns the account so far.
  if (typeof detail.to === 'string' && !isEmail(detail.to)) return people[detail.to] ?? GONE
  if (userId && (detail.by ?? userId) === userId && ip !== null) return null
  if (userId) return email ?? GONE
  return typeof detail.email === 'string' ? detail.email : null
}

function filled(text: string, whom: string | null): string {
  if (whom) return text.replace('{whom}', whom)
  return text.replace('{whom} may', 'they may').replace('{whom}', 'their own')
}

function given(permissions: Record<string, unknown>): string {
  return (
    PERMISSIONS.filter(name => permissions[name])
      .map(name => permissionName(name).toLowerCase())
      .join(', ') || 'nothing'
  )
}

function isEmail(value: unknown): value is string {
  return typeof value === 'string' && value.includes('@')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

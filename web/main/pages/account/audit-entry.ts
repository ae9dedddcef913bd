import { wordsFor } from '../../../pieces/audit-words.js'
import type { IconName } from '../../../pieces/icon.js'
import { PERMISSIONS } from '../../../pieces/people.js'
import { hostOf } from '../../../pieces/site.js'
import { t } from '../../../pieces/t.js'
import type { AuditEntry, AuditPart } from '../../api.js'

/** What to call users, by id. */
export type People = Readonly<Record<string, string>>

/** Never by their name alone: users choose it freely, and could pose as another. */
export function peopleIn({ people, names }: Pick<AuditPart, 'people' | 'names'>): People {
  return Object.fromEntries(
    Object.entries(people).map(([id, email]) => [id, names[id] ? `${names[id]} (${email})` : email]),
  )
}

/** Who did what to whom, in a sentence without its period. */
export function sentenceOf(entry: AuditEntry, people: People): string {
  const { action, outcome } = entry
  const who = actorOf(entry, people)
  const whom = subjectOf(entry, people)
  const { did, tried } = wordsIn(entry, whom)
  if (isHalfWay(entry)) return t('audit.sentence.halfWay', { who })
  if (isProofAsked(entry)) return t('audit.sentence.proofAsked', { who, tried })
  if (action === 'login' && outcome !== 'ok') return t('audit.sentence.login', { who })
  if (action === 'rate.limit') return t('audit.sentence.limit', { who })
  if (action === 'user.create' && isOfService(entry))
    return t('audit.sentence.added', { who, whom: `${whom}` })
  return outcome === 'ok' ? t('audit.sentence.did', { who, did }) : t('audit.sentence.tried', { who, tried })
}

/** The wording for an action, with the satellite concerned, if any. */
function wordsIn({ action, detail }: AuditEntry, whom: string | null) {
  const satellite = typeof detail.origin === 'string' ? hostOf(detail.origin) : t('audit.satelliteGone')
  return (
    wordsFor(action, { whom, satellite }, detail.step) ?? {
      did: t('audit.unknown.did', { action }),
      tried: t('audit.unknown.tried', { action }),
    }
  )
}

/** A refusal that is part of every sensitive change, and no reason to worry. */
export function isProofAsked(entry: AuditEntry): boolean {
  if (isHalfWay(entry)) return true
  const { outcome, detail } = entry
  const { reason } = detail
  return outcome === 'refused' && (reason === 'REAUTHENTICATION_REQUIRED' || reason === 'STEP_UP_REQUIRED')
}

/** The first step of a two-step login. */
function isHalfWay({ action, outcome, detail }: AuditEntry): boolean {
  return action === 'login' && outcome === 'refused' && detail.reason === 'second factor required'
}

/** Details beyond the person concerned; empty when there are none. */
export function detailsOf(entry: AuditEntry): string {
  const { action, detail } = entry
  const { granted, permissions = granted, satellites, from, to, name, factor, required, reasons } = detail
  const { paymentStepUpMinutes: minutes } = detail
  const parts = [
    (factor === 'totp' || factor === 'passkey') && t(`audit.factor.${factor}`),
    isCovered(required) && t(`audit.required.${required}`),
    // Of what was unusual, by the service's names for it, the most alarming.
    action === 'session.anomaly' && /device|agent/.test(`${reasons}`) && t('audit.newDevice'),
    typeof minutes === 'number' && t('audit.detail.stepUp', { minutes: `${minutes}` }),
    isRecord(permissions) && t('audit.detail.may', { permissions: given(permissions) }),
    satellites === null && t('audit.detail.allSites'),
    Array.isArray(satellites) && t('audit.detail.sites', { sites: hostsIn(satellites) }),
    isEmail(from) && isEmail(to) && t('audit.detail.fromTo', { from, to }),
    typeof name === 'string' && t('audit.detail.name', { name }),
    isOfOperator(entry) && typeof detail.reason === 'string' && detail.reason,
  ]
  return parts.filter(Boolean).join(' · ')
}

function actorOf(entry: AuditEntry, people: People): string {
  const { userId, detail } = entry
  if (isOfOperator(entry)) return t('audit.operator')
  if (isOfService(entry)) return t('audit.service')
  const by = detail.by ?? userId
  if (typeof by === 'string') return people[by] ?? t('audit.formerMemberFirst')
  return typeof detail.email === 'string' ? detail.email : t('audit.somebody')
}

/** An action of an operator, with a reason. */
function isOfOperator({ detail }: AuditEntry): boolean {
  return typeof detail.operator === 'string'
}

/** An action of the service itself, or of an operator at the command line. */
function isOfService({ ip, detail }: AuditEntry): boolean {
  return ip === null && typeof detail.by !== 'string'
}

/** Null where users did it to themselves. */
function subjectOf({ userId, ip, detail }: AuditEntry, people: People): string | null {
  // For a transfer, because its row is about the current owner.
  if (typeof detail.to === 'string' && !isEmail(detail.to))
    return people[detail.to] ?? t('audit.formerMember')
  if (userId && (detail.by ?? userId) === userId && ip !== null) return null
  if (userId) return people[userId] ?? t('audit.formerMember')
  return typeof detail.email === 'string' ? detail.email : null
}

function given(permissions: Record<string, unknown>): string {
  const names = PERMISSIONS.filter(name => permissions[name]).map(name => t(`audit.permission.${name}`))
  return names.join(', ') || t('audit.detail.nothing')
}

function hostsIn(origins: readonly unknown[]): string {
  return origins.map(origin => hostOf(String(origin))).join(', ') || t('audit.detail.noSite')
}

function isCovered(value: unknown): value is 'off' | 'payments' | 'managers' | 'everyone' {
  return typeof value === 'string' && ['off', 'payments', 'managers', 'everyone'].includes(value)
}

function isEmail(value: unknown): value is string {
  return typeof value === 'string' && value.includes('@')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const ICONS: readonly (readonly [actions: RegExp, icon: IconName])[] = [
  [/^(log|session|refresh|handoff|reauth|rate|origin)/, 'key'],
  [/^(billing|checkout|entitlements|webhook)/, 'card'],
  [/^satellite/, 'globe'],
  [/^(user|invitation|permissions)/, 'team'],
  [/^(password|factor|passkey|recovery|second|device)/, 'shield'],
  [/^(email|profile|person|signup)/, 'person'],
  [/^mail/, 'mail'],
]

/** The icon for an action of the audit log. */
export function iconOf(action: string): IconName {
  return ICONS.find(([actions]) => actions.test(action))?.[1] ?? 'settings'
}

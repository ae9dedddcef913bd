import type { ReactNode } from 'react'
import { wordsFor } from '../pieces/audit-words.js'
import type { IconName } from '../pieces/icon.js'
import { Empty } from '../pieces/page.js'
import { Avatar, deviceWords } from '../pieces/people.js'
import { Link } from '../pieces/router.js'
import { hostOf } from '../pieces/site.js'
import { i18n } from '../pieces/t.js'
import { breakable } from '../pieces/text.js'
import { Ago, Day } from '../pieces/time.js'
import type { FoundAccount, FoundUser, LogRow, People } from './api.js'
import { type ConsoleKey, T, t } from './language.js'

/** The rows of a list, or what to say when there are none. */
export function RowList<T>({
  of: items,
  icon,
  none,
  isLong = false,
  children: row,
}: {
  readonly of: readonly T[]
  /** Of an empty list. */
  readonly icon: IconName
  readonly none: string
  /** Whether the texts need the whole width of a phone. */
  readonly isLong?: boolean
  /** Each with a key of its own. */
  readonly children: (item: T) => ReactNode
}) {
  if (items.length === 0) return <Empty icon={icon}>{none}</Empty>
  return <ul className={isLong ? 'rows long' : 'rows'}>{items.map(row)}</ul>
}

/** A link to an account, by its name. */
export function AccountLink({ id, name }: { readonly id: string; readonly name: string | null }) {
  return <Link href={`/accounts/${id}`}>{name ?? t('console.account.unnamed')}</Link>
}

/** An account in a list, with a link to it, and perhaps when something was done with it. */
export function AccountRow({ account, at }: { readonly account: FoundAccount; readonly at?: string }) {
  const { id, name, owner, createdAt } = account
  return (
    <li>
      <div>
        <Link href={`/accounts/${id}`}>{name ?? owner ?? t('console.account.unnamed')}</Link>
        <br />
        <small>
          {owner ?? t('console.account.noOwner')} · <T id="console.since" day={<Day at={createdAt} />} />
        </small>
      </div>
      <Time at={at} />
    </li>
  )
}

/** A user in a list, with a link to them, and perhaps when something was done with them. */
export function UserRow({
  user,
  at,
}: {
  readonly user: FoundUser & { readonly hasSecondFactor?: boolean }
  readonly at?: string
}) {
  const { id, email, name, role, disabledAt, hasSecondFactor } = user
  return (
    <li>
      <div className="someone">
        <Avatar name={name ?? email} />
        <span>
          <Link href={`/users/${id}`}>{breakable(email)}</Link>
          {name && <small>{name}</small>}
        </span>
      </div>
      <span className="tags">
        {role === 'owner' && <span className="tag">{t('role.owner')}</span>}
        {disabledAt && <span className="tag bad">{t('console.user.disabledTag')}</span>}
        {hasSecondFactor && <span className="tag good">{t('factor.tag')}</span>}
      </span>
      <Time at={at} />
    </li>
  )
}

function Time({ at }: { readonly at: string | undefined }) {
  return (
    at && (
      <small>
        <Ago at={at} />
      </small>
    )
  )
}

/** Rows of the audit log, newest first. */
export function LogRows({
  rows,
  people,
  self,
}: {
  readonly rows: readonly LogRow[]
  readonly people: People
  /** The user whom all of them are about, if they are: then not each row has the address. */
  readonly self?: string
}) {
  return (
    <RowList of={rows} icon="list" none={t('console.log.none')}>
      {row => (
        <DeedRow key={row.id} {...row} who={whoIn(row, people, self)} what={whatIn(row, people)}>
          {detailsIn(row)}
        </DeedRow>
      )}
    </RowList>
  )
}

function whoIn({ userId, ip, detail: { operator, by } }: LogRow, people: People, self?: string): string {
  if (operator === 'command line') return t('console.log.commandLine')
  if (operator !== undefined) return t('audit.operator')
  const who = typeof by === 'string' ? by : userId
  if (who === null || (typeof by !== 'string' && ip === null)) return t('audit.service')
  return who === self ? t('console.log.self') : (people[who] ?? t('audit.somebody'))
}

/** “disabled rosa@example.com”; the name of the action if it has no wording. */
export function whatIn(
  { action, outcome, userId, detail }: Pick<LogRow, 'action' | 'outcome' | 'userId' | 'detail'>,
  people: People,
): string {
  const { operator, by, origin, step } = detail
  const isByThemselves = operator === undefined && typeof by !== 'string'
  const whom = userId === null || isByThemselves ? null : (people[userId] ?? t('console.log.somebody'))
  const satellite = typeof origin === 'string' ? hostOf(origin) : t('audit.satelliteGone')
  const words = wordsFor(action, { whom, satellite }, step)
  if (!words) return action
  return outcome === 'ok' ? words.did : t('console.log.tried', { tried: words.tried })
}

/** Why, and from where; null when there are no details. */
function detailsIn({ ip, device, outcome, detail: { operator, reason } }: LogRow) {
  const from = ip && (device ? `${ip}, ${deviceWords(device)}` : ip)
  if (typeof reason !== 'string' && !from) return null
  return (
    <>
      {typeof reason === 'string' && (
        <Reason operator={operator} outcome={outcome}>
          {reason}
        </Reason>
      )}
      {typeof reason === 'string' && from && ' · '}
      {from}
    </>
  )
}

const OUTCOME_LOOKS = { ok: '', failed: 'warn', refused: 'bad' } as const

/** Who did what, as a sentence; below it why, and from where. */
export function DeedRow({
  who,
  what,
  outcome,
  at,
  children,
}: Pick<LogRow, 'outcome' | 'at'> & {
  readonly who: string
  readonly what: ReactNode
  /** The details; null where there are none. */
  readonly children: ReactNode
}) {
  return (
    <li>
      <div>
        <strong>{who}</strong> {what}{' '}
        {outcome !== 'ok' && (
          <span className={`tag ${OUTCOME_LOOKS[outcome]}`}>{t(`audit.outcome.${outcome}`)}</span>
        )}
        {children && <small>{children}</small>}
      </div>
      <small>
        <Ago at={at} />
      </small>
    </li>
  )
}

/** Why: in quotation marks as an operator has typed it; in the reader's language as the service records it. */
export function Reason({
  operator,
  outcome,
  children: reason,
}: {
  /** Who gave it, if it was an operator. */
  readonly operator: unknown
  readonly outcome: LogRow['outcome']
  readonly children: string
}) {
  // What an operator has done in the console always has their own reason; at the command line it may be the service's.
  const isTyped = outcome === 'ok' && typeof operator === 'string' && operator !== 'command line'
  if (isTyped) return <q>{reason}</q>
  const key = `console.because.${reason}`
  if (Object.hasOwn(i18n.messages, key)) return t(key as ConsoleKey)
  return isCode(reason) ? <code>{reason}</code> : <q>{reason}</q>
}

/** Of the API's errors, such as `LAST_OWNER`: the same in every language. */
function isCode(reason: string): boolean {
  return /^[A-Z]+(_[A-Z]+)+$/.test(reason)
}

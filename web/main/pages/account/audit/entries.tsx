import { Fact } from '../../../../pieces/fact.js'
import { Icon } from '../../../../pieces/icon.js'
import { breakable } from '../../../../pieces/language/breakable.js'
import { t } from '../../../../pieces/language/t.js'
import { deviceWords } from '../../../../pieces/people/device.js'
import { dateText } from '../../../../pieces/time/ago.js'
import { Ago, When } from '../../../../pieces/time/when.js'
import type { AuditEntry } from '../../../answers.js'
import { iconOf } from './audit-icon.js'
import { detailsOf, isProofAsked, type People, sentenceOf } from './audit-sentence.js'

/** An entry with the people on the page that it came with. */
export interface EntryRow {
  readonly entry: AuditEntry
  readonly people: People
}

/** Sentences, under a heading for each day in the reader's time zone; each opens to show its details. */
export function Entries({ rows }: { readonly rows: readonly EntryRow[] }) {
  if (rows.length === 0) return <p className="absent">{t('audit.none')}</p>
  return daysOf(rows).map(({ day, rows: ofDay }) => (
    <section key={day} className="day">
      <h3>{dayName(day)}</h3>
      <ul className="entries">
        {ofDay.map(row => (
          <li key={row.entry.id}>
            <Entry {...row} />
          </li>
        ))}
      </ul>
    </section>
  ))
}

function Entry({ entry, people }: EntryRow) {
  const details = detailsOf(entry)
  return (
    <details>
      <summary>
        <Icon name={iconOf(entry.action)} />
        <span>
          {breakable(sentenceOf(entry, people))} <OutcomeTag entry={entry} />
        </span>
        <Ago at={entry.at} />
      </summary>
      <dl>
        <Fact name={t('audit.when')}>
          <When at={entry.at} />
        </Fact>
        {details && <Fact name={t('audit.details')}>{details}</Fact>}
        {entry.device && <Fact name={t('audit.device')}>{deviceWords(entry.device)}</Fact>}
        {entry.ip && <Fact name={t('audit.ip')}>{entry.ip}</Fact>}
        <Fact name={t('audit.entry')}>
          <code>
            {entry.action} #{entry.id}
          </code>
        </Fact>
      </dl>
    </details>
  )
}

/** Only for an outcome other than success. */
function OutcomeTag({ entry }: { readonly entry: AuditEntry }) {
  if (entry.outcome === 'ok' || isProofAsked(entry)) return null
  return <span className="tag bad">{t(`audit.outcome.${entry.outcome}`)}</span>
}

interface EntriesOfDay {
  /** A moment on that day. */
  readonly day: string
  readonly rows: EntryRow[]
}

/** In row order, newest first. */
function daysOf(rows: readonly EntryRow[]): EntriesOfDay[] {
  const days: EntriesOfDay[] = []
  for (const row of rows) {
    const last = days.at(-1)
    if (last && isSameDay(last.day, row.entry.at)) last.rows.push(row)
    else days.push({ day: row.entry.at, rows: [row] })
  }
  return days
}

/** “Today”, “Yesterday”, or the date. */
function dayName(at: string): string {
  const today = new Date()
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1)
  if (isSameDay(at, today.toISOString())) return t('audit.today')
  return isSameDay(at, yesterday.toISOString()) ? t('audit.yesterday') : dateText(at, { dateStyle: 'full' })
}

function isSameDay(one: string, other: string): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}

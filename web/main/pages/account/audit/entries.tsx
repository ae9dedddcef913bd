import { Fact } from '../../../../pieces/fact.js'
import { Ago, When } from '../../../../pieces/when.js'
import type { AuditEntry } from '../../../answers.js'
import { detailsOf, isProofAsked, type People, sentenceOf } from './audit-sentence.js'

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' })

const OUTCOMES = { failed: 'Failed', refused: 'Refused' } as const

/** An entry with the people of the page that it came on. */
export interface EntryRow {
  readonly entry: AuditEntry
  readonly people: People
}

/** Sentences, under a heading for each day of the reader's time zone; each opens to show its details. */
export function Entries({ rows }: { readonly rows: readonly EntryRow[] }) {
  if (rows.length === 0) return <p className="absent">No entries match.</p>
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
        <span>
          {sentenceOf(entry, people)} <OutcomeTag entry={entry} />
        </span>
        <Ago at={entry.at} />
      </summary>
      <dl>
        <Fact name="When">
          <When at={entry.at} />
        </Fact>
        {details && <Fact name="Details">{details}</Fact>}
        {entry.device && <Fact name="Device">{entry.device}</Fact>}
        {entry.ip && <Fact name="IP address">{entry.ip}</Fact>}
        <Fact name="Entry">
          <code>
            {entry.action} #{entry.id}
          </code>
        </Fact>
      </dl>
    </details>
  )
}

/** Only where it was not simply done. */
function OutcomeTag({ entry }: { readonly entry: AuditEntry }) {
  if (entry.outcome === 'ok' || isProofAsked(entry)) return null
  return <span className="tag bad">{OUTCOMES[entry.outcome]}</span>
}

interface EntriesOfDay {
  /** A moment of it. */
  readonly day: string
  readonly rows: EntryRow[]
}

/** In the order of the rows, newest first. */
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
  if (isSameDay(at, today.toISOString())) return 'Today'
  return isSameDay(at, yesterday.toISOString()) ? 'Yesterday' : DAY.format(new Date(at))
}

function isSameDay(one: string, other: string): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}

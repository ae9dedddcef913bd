import { useState } from 'react'
import { dateText } from '../../../pieces/ago.js'
import { ActionButton, ActionRow, useAction } from '../../../pieces/forms.js'
import { Icon } from '../../../pieces/icon.js'
import { Loaded, usePages } from '../../../pieces/loading.js'
import { Failure } from '../../../pieces/notices.js'
import { Page, Section } from '../../../pieces/page.js'
import { deviceWords } from '../../../pieces/people.js'
import { t } from '../../../pieces/t.js'
import { breakable, Fact } from '../../../pieces/text.js'
import { Ago, When } from '../../../pieces/time.js'
import { type AuditEntry, type AuditPart, call, download } from '../../api.js'
import { detailsOf, iconOf, isProofAsked, type People, peopleIn, sentenceOf } from './audit-entry.js'

/** Who did what in the account. */
export function AuditPage() {
  const [outcome, setOutcome] = useState('')
  const [user, setUser] = useState('')
  const [known, setKnown] = useState<People>({})
  const filter = { ...(outcome && { outcome }), ...(user && { user }) }
  const save = useAction(() => download(`audit/export?${new URLSearchParams(filter)}`, 'audit-log.jsonl'))
  return (
    <Page title={t('audit.title')} lead={t('audit.lead')}>
      <Section title={t('audit.heading')}>
        <div className="toolbar">
          <label>
            {t('audit.show')}
            <select value={outcome} onChange={event => setOutcome(event.target.value)}>
              <option value="">{t('audit.all')}</option>
              <option value="ok">{t('audit.done')}</option>
              <option value="failed">{t('audit.outcome.failed')}</option>
              <option value="refused">{t('audit.outcome.refused')}</option>
            </select>
          </label>
          <label>
            {t('audit.concerns')}
            <select value={user} onChange={event => setUser(event.target.value)}>
              <option value="">{t('policy.everyone')}</option>
              {Object.entries(known).map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <ActionButton action={save}>{t('common.download')}</ActionButton>
        </div>
        <Failure error={save.error} />
        <FilteredEntries
          key={outcome + user}
          filter={filter}
          onPeople={people => setKnown(others => ({ ...others, ...people }))}
        />
      </Section>
    </Page>
  )
}

/** Calls `onPeople` with the people whom the loaded entries concern. */
function FilteredEntries({
  filter,
  onPeople,
}: {
  readonly filter: Readonly<Record<string, string>>
  readonly onPeople: (people: People) => void
}) {
  const { list, more } = usePages(async after => {
    const query = new URLSearchParams({ ...filter, ...(after && { after }) })
    const part = await call<AuditPart>('GET', `audit?${query}`)
    const people = peopleIn(part)
    onPeople(subjectsOf(part.entries, people))
    return { rows: part.entries.map(entry => ({ entry, people })), next: part.next }
  })
  return (
    <>
      <Loaded of={list} shape="rows">
        {({ rows }) => <Entries rows={rows} />}
      </Loaded>
      {more && <ActionRow action={more}>{t('audit.older')}</ActionRow>}
    </>
  )
}

/** The people whom a filter can find. */
function subjectsOf(entries: readonly AuditEntry[], people: People): People {
  const isConcerned = ([id]: [string, string]) => entries.some(({ userId }) => userId === id)
  return Object.fromEntries(Object.entries(people).filter(isConcerned))
}

/** An entry with the people on the page that it came with. */
interface EntryRow {
  readonly entry: AuditEntry
  readonly people: People
}

/** Sentences, under a heading for each day in the reader's time zone; each opens to show its details. */
function Entries({ rows }: { readonly rows: readonly EntryRow[] }) {
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

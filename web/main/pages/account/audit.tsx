import { dateText } from '../../../pieces/ago.js'
import { SearchField } from '../../../pieces/controls.js'
import { useAction } from '../../../pieces/forms.js'
import { Icon } from '../../../pieces/icon.js'
import { ChoiceField, choose, DayField, PageLinks, periodIn, usePage } from '../../../pieces/lists.js'
import { Loaded } from '../../../pieces/loading.js'
import { Menu } from '../../../pieces/navigation.js'
import { Failure } from '../../../pieces/notices.js'
import { Empty, Page, Section } from '../../../pieces/page.js'
import { deviceWords } from '../../../pieces/people.js'
import { usePlace } from '../../../pieces/router.js'
import { hostOf } from '../../../pieces/site.js'
import { t } from '../../../pieces/t.js'
import { breakable, Fact } from '../../../pieces/text.js'
import { Ago, When } from '../../../pieces/time.js'
import { type AuditEntry, type AuditPart, call, download } from '../../api.js'
import { detailsOf, iconOf, isProofAsked, type People, peopleIn, sentenceOf } from './audit-entry.js'

/** Who did what in the account. */
export function AuditPage() {
  const { query } = usePlace()
  const filter = filterIn(query)
  const list = usePage(async asked => {
    const { entries, next, ...named } = await call<AuditPart>('GET', `audit?${asked}`)
    const people = peopleIn(named)
    return { rows: entries.map(entry => ({ entry, people })), next }
  }, filter)
  return (
    <Page title={t('audit.title')} lead={t('audit.lead')}>
      <Section title={t('audit.heading')} actions={<ExportMenu filter={filter} />}>
        <div className="toolbar filters">
          <SearchField
            label={t('team.search')}
            initial={query.get('q') ?? ''}
            search={text => choose('q', text)}
          />
          <ChoiceField name="outcome" label={t('audit.show')}>
            <option value="">{t('audit.all')}</option>
            <option value="ok">{t('audit.done')}</option>
            <option value="failed">{t('audit.outcome.failed')}</option>
            <option value="refused">{t('audit.outcome.refused')}</option>
          </ChoiceField>
          <DayField name="from" label={t('audit.from')} />
          <DayField name="to" label={t('audit.to')} />
        </div>
        <Loaded of={list} shape="rows">
          {({ rows }) => (
            <div aria-busy={list.isStale}>
              <Entries rows={rows} />
            </div>
          )}
        </Loaded>
        <PageLinks of={list} />
      </Section>
    </Page>
  )
}

/** The service's filter for the page's address. */
function filterIn(query: URLSearchParams): Record<string, string> {
  const same = [...query].filter(([name]) => ['q', 'outcome'].includes(name))
  return { ...Object.fromEntries(same), ...periodIn(query) }
}

/** The names of the files, by the service's names for their formats. */
const FILES = { jsonl: 'audit-log.jsonl', ocsf: 'audit-log.ocsf.jsonl' } as const

/** Saves all entries that the filter finds. */
function ExportMenu({ filter }: { readonly filter: Readonly<Record<string, string>> }) {
  const save = useAction((format: keyof typeof FILES) =>
    download(`audit/export?${new URLSearchParams({ ...filter, format })}`, FILES[format]),
  )
  return (
    <>
      <Menu
        className="export"
        button={
          <>
            {save.isBusy && <span className="spinner" aria-hidden="true" />}
            {t('common.download')}
            <Icon name="choose" />
          </>
        }
      >
        <button type="button" onClick={() => void save.run('jsonl')}>
          {t('audit.jsonLines')}
        </button>
        <button type="button" onClick={() => void save.run('ocsf')}>
          {t('audit.ocsf')}
        </button>
      </Menu>
      <Failure error={save.error} />
    </>
  )
}

/** An entry with the people on the page that it came with. */
interface EntryRow {
  readonly entry: AuditEntry
  readonly people: People
}

/** Sentences, under a heading for each day in the reader's time zone; each opens to show its details. */
function Entries({ rows }: { readonly rows: readonly EntryRow[] }) {
  if (rows.length === 0) return <Empty icon="list">{t('audit.none')}</Empty>
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
  const where = [entry.ip, entry.place, entry.origin && hostOf(entry.origin)].filter(Boolean).join(' · ')
  return (
    <details>
      <summary>
        <Icon name={iconOf(entry.action)} />
        <span>
          {breakable(sentenceOf(entry, people))} <OutcomeTag entry={entry} />
          {where && <small>{where}</small>}
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
        {entry.origin && <Fact name={t('audit.site')}>{entry.origin}</Fact>}
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

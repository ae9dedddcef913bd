import { useState } from 'react'
import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { usePages } from '../../../../pieces/loading/use-pages.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Failure } from '../../../../pieces/notices/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import type { AuditEntry, AuditPart } from '../../../answers.js'
import { call } from '../../../api.js'
import { download } from '../../../download.js'
import { type People, peopleIn } from './audit-sentence.js'
import { Entries } from './entries.js'

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

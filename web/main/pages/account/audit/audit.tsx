import { useState } from 'react'
import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { Failure } from '../../../../pieces/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { When } from '../../../../pieces/when.js'
import type { AuditEntry } from '../../../answers.js'
import { call } from '../../../api.js'
import { download } from '../../../download.js'
import { detailsOf, isProofAsked, type People, sentenceOf } from './audit-sentence.js'
import { usePages } from './use-pages.js'

const OUTCOMES = { failed: 'Failed', refused: 'Refused' } as const

interface AuditPart {
  readonly entries: readonly AuditEntry[]
  readonly people: People
  readonly next: string | null
}

/** An entry with the people of the page that it came on. */
interface Row {
  readonly entry: AuditEntry
  readonly people: People
}

/** Who did what in the account. */
export function AuditPage() {
  const [outcome, setOutcome] = useState('')
  const query = (after: string | null) =>
    new URLSearchParams({ ...(outcome && { outcome }), ...(after && { after }) }).toString()
  const { list, more } = usePages(async after => {
    const path = `audit?${query(after)}`
    const { entries, people, next } = await call<AuditPart>('GET', path)
    return { rows: entries.map(entry => ({ entry, people })), next }
  }, outcome)
  const save = useAction(() => download(`audit/export?${query(null)}`, 'audit-log.jsonl'))
  return (
    <Page title="Audit log">
      <Section title="What happened in this account">
        <div className="actions">
          <label>
            Show{' '}
            <select value={outcome} onChange={event => setOutcome(event.target.value)}>
              <option value="">Everything</option>
              <option value="ok">Done</option>
              <option value="failed">Failed</option>
              <option value="refused">Refused</option>
            </select>
          </label>
          <ActionButton action={save}>Download</ActionButton>
        </div>
        <Failure error={save.error} />
        <Loaded of={list}>{({ rows }) => <Entries rows={rows} />}</Loaded>
        {more && <ActionRow action={more}>Show older entries</ActionRow>}
      </Section>
    </Page>
  )
}

function Entries({ rows }: { readonly rows: readonly Row[] }) {
  if (rows.length === 0) return <p>No entries match.</p>
  return (
    <table>
      <thead>
        <tr>
          <th>When</th>
          <th>What happened</th>
          <th>Device and IP address</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ entry, people }) => (
          <tr key={entry.id}>
            <td data-name="When" className="when">
              <When at={entry.at} />
            </td>
            <td data-name="What">
              <span>
                {sentenceOf(entry, people)} <OutcomeTag entry={entry} />
                <small>{detailsOf(entry)}</small>
              </span>
            </td>
            <td data-name="Device and IP address">{[entry.device, entry.ip].filter(Boolean).join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Only where it was not simply done. */
function OutcomeTag({ entry }: { readonly entry: AuditEntry }) {
  if (entry.outcome === 'ok' || isProofAsked(entry)) return null
  return <span className="tag bad">{OUTCOMES[entry.outcome]}</span>
}

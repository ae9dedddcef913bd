import { useState } from 'react'
import { ActionRow } from '../../../pieces/action-row.js'
import { ActionButton } from '../../../pieces/button.js'
import { Failure } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { useAction } from '../../../pieces/use-action.js'
import { Loaded } from '../../../pieces/waiting.js'
import { When } from '../../../pieces/when.js'
import type { AuditEntry } from '../../answers.js'
import { call } from '../../api.js'
import { download } from '../../download.js'
import { ACTION_NAMES } from './action-names.js'
import { usePages } from './use-pages.js'

const OUTCOMES = { ok: 'Done', failed: 'Failed', refused: 'Refused' } as const

/** Who did what in the account. */
export function AuditPage() {
  const [outcome, setOutcome] = useState('')
  const query = (after: string | null) =>
    new URLSearchParams({ ...(outcome && { outcome }), ...(after && { after }) }).toString()
  const { list, more } = usePages(async after => {
    const path = `audit?${query(after)}`
    const { entries, next } = await call<{ entries: AuditEntry[]; next: string | null }>('GET', path)
    return { rows: entries, next }
  }, outcome)
  const save = useAction(() => download(`audit/export?${query(null)}`, 'audit-log.jsonl'))
  return (
    <Page title="Audit log">
      <Section title="What happened in this account">
        <div className="actions">
          <label>
            Show{' '}
            <select value={outcome} onChange={event => setOutcome(event.target.value)}>
              <option value="">everything</option>
              <option value="ok">what was done</option>
              <option value="failed">what failed</option>
              <option value="refused">what was refused</option>
            </select>
          </label>
          <ActionButton action={save}>Download</ActionButton>
        </div>
        <Failure error={save.error} />
        <Loaded of={list}>{({ rows }) => <Entries rows={rows} />}</Loaded>
        {more && <ActionRow action={more}>Show older ones</ActionRow>}
      </Section>
    </Page>
  )
}

function Entries({ rows }: { readonly rows: readonly AuditEntry[] }) {
  if (rows.length === 0) return <p>There is nothing of this kind.</p>
  return (
    <table>
      <thead>
        <tr>
          <th>When</th>
          <th>What</th>
          <th>Result</th>
          <th>User</th>
          <th>Device, address</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, at, action, outcome, email, device, ip }) => (
          <tr key={id}>
            <td data-name="When">
              <When at={at} />
            </td>
            <td data-name="What">{ACTION_NAMES[action] ?? action}</td>
            <td data-name="Result">
              <span className={outcome === 'ok' ? 'tag good' : 'tag bad'}>{OUTCOMES[outcome]}</span>
            </td>
            <td data-name="User">{email ?? 'none'}</td>
            <td data-name="Device, address">{[device, ip].filter(Boolean).join(', ') || 'none'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

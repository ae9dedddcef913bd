import { When } from '../pieces/when.js'
import type { LogRow } from './answers.js'

const KINDS = { ok: '', failed: 'warn', refused: 'bad' } as const

/** Rows of the audit log, the newest first. */
export function LogRows({ rows }: { readonly rows: readonly LogRow[] }) {
  if (rows.length === 0) return <p>Nothing yet.</p>
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">From</th>
          <th scope="col">Details</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, at, action, outcome, ip, device, detail }) => (
          <tr key={id}>
            <td className="when" data-name="When">
              <When at={at} />
            </td>
            <td data-name="What">
              {action} {outcome !== 'ok' && <span className={`tag ${KINDS[outcome]}`}>{outcome}</span>}
            </td>
            <td data-name="From">{ip ? `${ip}, ${device}` : '–'}</td>
            <td data-name="Details">
              <small>{wordsOf(detail)}</small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function wordsOf(detail: LogRow['detail']): string {
  const words = Object.entries(detail).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return words.join(', ') || '–'
}

import type { Entry } from '../entries.js'

export function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <p>There are no entries yet.</p>
  return (
    <table>
      <thead>
        <tr>
          <th>What</th>
          <th>Amount</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ what, amount }, index) => (
          <tr key={index}>
            <td data-name="What">{what}</td>
            <td data-name="Amount">{amount}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

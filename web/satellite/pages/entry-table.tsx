import { t } from '../../pieces/language/t.js'
import type { Entry } from '../entries.js'

export function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <p>{t('entries.none')}</p>
  return (
    <table>
      <thead>
        <tr>
          <th>{t('entries.what')}</th>
          <th>{t('entries.amount')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ what, amount }, index) => (
          <tr key={index}>
            <td data-name={t('entries.what')}>{what}</td>
            <td data-name={t('entries.amount')}>{amount}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

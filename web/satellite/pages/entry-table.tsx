import { Empty } from '../../pieces/empty.js'
import { locale, t } from '../../pieces/language/t.js'
import type { Entry } from '../entries.js'

export function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <Empty icon="list">{t('entries.none')}</Empty>
  const number = new Intl.NumberFormat(locale())
  return (
    <table>
      <thead>
        <tr>
          <th>{t('entries.what')}</th>
          <th className="number">{t('entries.amount')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ what, amount }, index) => (
          <tr key={index}>
            <td data-name={t('entries.what')}>{what}</td>
            <td className="number" data-name={t('entries.amount')}>
              {number.format(amount)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

import { wordsFor } from '../../pieces/audit-words.js'
import { deviceWords } from '../../pieces/people/device.js'
import { hostOf } from '../../pieces/site/site.js'
import { Ago } from '../../pieces/time/when.js'
import type { LogRow } from '../answers.js'
import { t } from '../language.js'

const LOOKS = { ok: '', failed: 'warn', refused: 'bad' } as const

/** E-mail addresses by user id. */
export type People = Readonly<Record<string, string>>

/** Rows of the audit log, newest first. */
export function LogRows({ rows, people }: { readonly rows: readonly LogRow[]; readonly people: People }) {
  if (rows.length === 0) return <p className="absent">{t('console.log.none')}</p>
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('console.log.when')}</th>
          <th scope="col">{t('console.log.who')}</th>
          <th scope="col">{t('console.log.what')}</th>
          <th scope="col">{t('console.log.details')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.id}>
            <td className="when" data-name={t('console.log.when')}>
              <Ago at={row.at} />
            </td>
            <td className="who" data-name={t('console.log.who')}>
              {whoIn(row, people)}
            </td>
            <td data-name={t('console.log.what')}>
              <span>
                {whatIn(row, people)} <OutcomeTag outcome={row.outcome} />
              </span>
            </td>
            <td data-name={t('console.log.details')}>{detailsIn(row)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Only for an outcome other than success. */
export function OutcomeTag({ outcome }: Pick<LogRow, 'outcome'>) {
  if (outcome === 'ok') return null
  return <span className={`tag ${LOOKS[outcome]}`}>{t(`audit.${outcome}`)}</span>
}

function whoIn({ userId, ip, detail: { operator, by } }: LogRow, people: People): string {
  if (operator === 'command line') return t('console.log.commandLine')
  if (operator !== undefined) return t('audit.operator')
  const who = typeof by === 'string' ? by : userId
  if (who === null || (typeof by !== 'string' && ip === null)) return t('audit.service')
  return people[who] ?? t('audit.somebody')
}

/** “disabled rosa@example.com”; the name of the action if it has no wording. */
export function whatIn(
  { action, outcome, userId, detail }: Pick<LogRow, 'action' | 'outcome' | 'userId' | 'detail'>,
  people: People,
): string {
  const { operator, by, origin, step } = detail
  const isByThemselves = operator === undefined && typeof by !== 'string'
  const whom = userId === null || isByThemselves ? null : (people[userId] ?? t('console.log.somebody'))
  const satellite = typeof origin === 'string' ? hostOf(origin) : t('audit.satelliteGone')
  const words = wordsFor(action, { whom, satellite }, step)
  if (!words) return action
  return outcome === 'ok' ? words.did : t('console.log.tried', { tried: words.tried })
}

/** Why, and from where; null when there are no details. */
function detailsIn({ ip, device, detail: { reason } }: LogRow) {
  const from = ip && (device ? `${ip}, ${deviceWords(device)}` : ip)
  if (typeof reason !== 'string' && !from) return null
  return (
    <small>
      {typeof reason === 'string' && <q>{reason}</q>}
      {typeof reason === 'string' && from && ' · '}
      {from}
    </small>
  )
}

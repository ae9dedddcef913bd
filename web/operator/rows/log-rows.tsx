import { wordsFor } from '../../pieces/audit-words.js'
import { deviceWords } from '../../pieces/people/device.js'
import { hostOf } from '../../pieces/site/site.js'
import type { LogRow, People } from '../answers.js'
import { t } from '../language.js'
import { DeedRow } from './deed-row.js'
import { Reason } from './reason.js'
import { RowList } from './row-list.js'

/** Rows of the audit log, newest first. */
export function LogRows({
  rows,
  people,
  self,
}: {
  readonly rows: readonly LogRow[]
  readonly people: People
  /** The user whom all of them are about, if they are: then not each row has the address. */
  readonly self?: string
}) {
  return (
    <RowList of={rows} icon="list" none={t('console.log.none')}>
      {row => (
        <DeedRow key={row.id} {...row} who={whoIn(row, people, self)} what={whatIn(row, people)}>
          {detailsIn(row)}
        </DeedRow>
      )}
    </RowList>
  )
}

function whoIn({ userId, ip, detail: { operator, by } }: LogRow, people: People, self?: string): string {
  if (operator === 'command line') return t('console.log.commandLine')
  if (operator !== undefined) return t('audit.operator')
  const who = typeof by === 'string' ? by : userId
  if (who === null || (typeof by !== 'string' && ip === null)) return t('audit.service')
  return who === self ? t('console.log.self') : (people[who] ?? t('audit.somebody'))
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
function detailsIn({ ip, device, outcome, detail: { operator, reason } }: LogRow) {
  const from = ip && (device ? `${ip}, ${deviceWords(device)}` : ip)
  if (typeof reason !== 'string' && !from) return null
  return (
    <>
      {typeof reason === 'string' && (
        <Reason operator={operator} outcome={outcome}>
          {reason}
        </Reason>
      )}
      {typeof reason === 'string' && from && ' · '}
      {from}
    </>
  )
}

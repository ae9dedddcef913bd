import type { ReactNode } from 'react'
import { Ago } from '../../pieces/time/when.js'
import type { LogRow } from '../answers.js'
import { t } from '../language.js'

const LOOKS = { ok: '', failed: 'warn', refused: 'bad' } as const

/** Who did what, as a sentence; below it why, and from where. */
export function DeedRow({
  who,
  what,
  outcome,
  at,
  children,
}: Pick<LogRow, 'outcome' | 'at'> & {
  readonly who: string
  readonly what: ReactNode
  /** The details; null where there are none. */
  readonly children: ReactNode
}) {
  return (
    <li>
      <div>
        <strong>{who}</strong> {what}{' '}
        {outcome !== 'ok' && <span className={`tag ${LOOKS[outcome]}`}>{t(`audit.outcome.${outcome}`)}</span>}
        {children && <small>{children}</small>}
      </div>
      <small>
        <Ago at={at} />
      </small>
    </li>
  )
}

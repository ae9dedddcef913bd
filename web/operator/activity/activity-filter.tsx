import { type ReactNode, useEffect, useState } from 'react'
import { useLoad } from '../../pieces/loading/use-load.js'
import { go } from '../../pieces/router.js'
import type { OperatorNames } from '../answers.js'
import { ask } from '../api.js'
import { t } from '../language.js'

/** Long enough to type the next digit. */
const PAUSE_MS = 250
const EARLIEST_DAY = '2000-01-01'

/** The changes that operators can make. */
const ACTIONS = [
  ...(['user.disable', 'user.enable', 'session.revoke', 'factors.reset', 'permissions.change'] as const),
  ...(['satellite.suspend', 'satellite.resume', 'billing.replay', 'mail.resend'] as const),
  ...(['operator.add', 'operator.disable', 'operator.passkey'] as const),
]

/** By whom, what and when: each choice immediately updates the address. */
export function ActivityFilter({ query }: { readonly query: URLSearchParams }) {
  const names = useLoad(() => ask<OperatorNames>('operators'))
  const hasActions = !query.has('kind')
  return (
    <div className="toolbar filters">
      <Choice name="operator" label={t('console.activity.operator')} query={query}>
        <option value="">{t('console.activity.everybody')}</option>
        {names.data?.operators.map(({ id, email }) => (
          <option key={id} value={id}>
            {email}
          </option>
        ))}
        <option value="command line">{t('console.log.commandLine')}</option>
      </Choice>
      {hasActions && (
        <Choice name="action" label={t('console.activity.action')} query={query}>
          <option value="">{t('console.activity.anything')}</option>
          {ACTIONS.map(action => (
            <option key={action} value={action}>
              {t(`console.action.${action}`)}
            </option>
          ))}
        </Choice>
      )}
      <Day name="from" label={t('console.activity.from')} query={query} />
      <Day name="to" label={t('console.activity.to')} query={query} />
    </div>
  )
}

interface PartProps {
  readonly name: string
  readonly label: string
  readonly query: URLSearchParams
}

function Choice({ name, label, query, children }: PartProps & { readonly children: ReactNode }) {
  return (
    <label>
      {label}
      <select value={query.get(name) ?? ''} onChange={event => choose(name, event.target.value)}>
        {children}
      </select>
    </label>
  )
}

/** While a year is being typed, the browser has a day in the year 2, 20 or 202; each list is recorded. */
function Day({ name, label, query }: PartProps) {
  const chosen = query.get(name) ?? ''
  const [day, setDay] = useState(chosen)
  useEffect(() => setDay(chosen), [chosen])
  useEffect(() => {
    if (day === chosen || (day !== '' && day < EARLIEST_DAY)) return undefined
    const timer = setTimeout(() => choose(name, day), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [name, day, chosen])
  return (
    <label>
      {label}
      <input type="date" value={day} onChange={event => setDay(event.target.value)} />
    </label>
  )
}

function choose(name: string, value: string): void {
  const query = new URLSearchParams(location.search)
  if (value) query.set(name, value)
  else query.delete(name)
  go(query.size > 0 ? `/activity?${query}` : '/activity', { replace: true })
}

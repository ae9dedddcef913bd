import type { ReactNode } from 'react'
import { money, type OfferedPlan, periodText } from './plans.js'

/** What a plan costs, for whom, and how it begins. */
export function PlanWords({ plan }: { readonly plan: OfferedPlan }) {
  const { name, amount, currency, seats, trialDays } = plan
  return (
    <span className="plan-words">
      <span className="plan-name">{name}</span>
      {amount === null ? (
        <span>billed by usage</span>
      ) : (
        <span>
          <span className="plan-price">{money(amount, currency)}</span> {periodText(plan)}
          {seats && ' for each seat'}
        </span>
      )}
      {trialDays > 0 && <small>{trialDays} days free to begin with</small>}
    </span>
  )
}

/** One plan among others, with what can be done about it. */
export function PlanCard({
  plan,
  isCurrent,
  children,
}: {
  readonly plan: OfferedPlan
  readonly isCurrent: boolean
  readonly children: ReactNode
}) {
  return (
    <li className={isCurrent ? 'plan current' : 'plan'}>
      <PlanWords plan={plan} />
      {isCurrent ? <span className="tag">Current plan</span> : children}
    </li>
  )
}

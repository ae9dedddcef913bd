import type { ReactNode } from 'react'
import { t } from '../language/t.js'
import { T } from '../language/text.js'
import { money, type OfferedPlan, periodText } from './plans.js'

/** What a plan costs, for whom, and how it begins. */
export function PlanWords({ plan }: { readonly plan: OfferedPlan }) {
  const { name, amount, currency, seats, trialDays } = plan
  return (
    <span className="plan-words">
      <span className="plan-name">{name}</span>
      {amount === null ? (
        <span>{t('plan.byUsage')}</span>
      ) : (
        <span>
          <T
            id={seats ? 'plan.pricePerSeat' : 'plan.price'}
            amount={<span className="plan-price">{money(amount, currency)}</span>}
            period={periodText(plan)}
          />
        </span>
      )}
      {trialDays > 0 && <small>{t('plan.trial', { days: trialDays })}</small>}
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
      {isCurrent ? <span className="tag">{t('plan.current')}</span> : children}
    </li>
  )
}

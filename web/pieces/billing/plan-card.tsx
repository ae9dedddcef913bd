import type { ReactNode } from 'react'
import { Icon } from '../icon.js'
import { i18n, t } from '../language/t.js'
import { T } from '../language/text.js'
import { money, type OfferedPlan, periodText, planText } from './plans.js'

/** What a plan costs, per what, and how it begins. */
export function PlanWords({
  plan,
  isCurrent = false,
}: {
  readonly plan: OfferedPlan
  readonly isCurrent?: boolean
}) {
  const { amount, currency, features, translatedFeatures, limits, seats, trialDays } = plan
  return (
    <span className="plan-words">
      <span className="plan-name">
        {planText(plan)}
        {isCurrent && <span className="tag">{t('plan.current')}</span>}
      </span>
      {amount === null ? (
        <span className="plan-cost">{t('plan.byUsage')}</span>
      ) : (
        <span className="plan-cost">
          <T
            id={seats ? 'plan.pricePerSeat' : 'plan.price'}
            amount={<span className="plan-price">{money(amount, currency)}</span>}
            period={periodText(plan)}
          />
        </span>
      )}
      <span className="plan-points">
        {(translatedFeatures?.[i18n.locale] ?? features)?.map((feature, index) => (
          <Point key={index}>{feature}</Point>
        ))}
        {seats && <Point>{t('plan.seats')}</Point>}
        {limits?.seats != null && <Point>{t('plan.mostPeople', { count: limits.seats })}</Point>}
        {limits?.satellites != null && (
          <Point>{t('plan.mostSatellites', { count: limits.satellites })}</Point>
        )}
        {trialDays > 0 && <Point>{t('plan.trial', { days: trialDays })}</Point>}
      </span>
    </span>
  )
}

function Point({ children }: { readonly children: ReactNode }) {
  return (
    <span>
      <Icon name="check" />
      {children}
    </span>
  )
}

/** One of several plans, with its possible actions. */
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
      <PlanWords plan={plan} isCurrent={isCurrent} />
      {!isCurrent && children}
    </li>
  )
}

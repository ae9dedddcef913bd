import { PlanCard } from '../../../../pieces/billing/plan-card.js'
import { type OfferedPlan, planText } from '../../../../pieces/billing/plans.js'
import {
  isEnding,
  mayChange,
  maySubscribe,
  type Subscription,
} from '../../../../pieces/billing/subscription.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { Failure } from '../../../../pieces/notices/notice.js'
import { Section } from '../../../../pieces/page.js'
import { BILLING_PAGE, startCheckout } from '../../../payment/checkout.js'

/** The plans on sale, with a way to get them where that is possible now. */
export function PlansCard({
  subscription,
  plans,
}: {
  readonly subscription: Subscription
  readonly plans: readonly OfferedPlan[]
}) {
  const isChange = mayChange(subscription) && !isEnding(subscription)
  const isFirst = maySubscribe(subscription)
  if (!isChange && !isFirst) return null
  return (
    <Section title={isFirst ? t('plan.choose') : t('plan.plans')} about={isChange && t('plan.changeCost')}>
      <ul className="plans">
        {plans.map(plan => (
          <PlanCard key={plan.priceId} plan={plan} isCurrent={isChange && plan.priceId === subscription.plan}>
            <Choose plan={plan} isChange={isChange} />
          </PlanCard>
        ))}
      </ul>
    </Section>
  )
}

function Choose({ plan, isChange }: { readonly plan: OfferedPlan; readonly isChange: boolean }) {
  // A change of plan involves no payment there, so returning from it does not mean that a payment was abandoned.
  const back = isChange ? `${location.origin}${BILLING_PAGE}` : null
  const action = useAction(() => startCheckout(plan.priceId, back))
  const name = t(isChange ? 'plan.changeTo' : 'plan.subscribeTo', { name: planText(plan) })
  return (
    <>
      <ActionButton action={action} kind={isChange ? 'plain' : 'primary'}>
        {name}
      </ActionButton>
      <Failure error={action.error} />
    </>
  )
}

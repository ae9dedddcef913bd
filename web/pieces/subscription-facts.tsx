import { Fact } from './fact.js'
import { planName, type Subscription, stateName } from './subscription.js'
import { Day } from './when.js'

/** What there is to know about a subscription. */
export function SubscriptionFacts({ subscription }: { readonly subscription: Subscription }) {
  const { plan, currentPeriodEnd, cancelAtPeriodEnd } = subscription
  return (
    <dl>
      <Fact name="State">{stateName(subscription)}</Fact>
      {plan && <Fact name="Plan">{planName(plan)}</Fact>}
      {currentPeriodEnd && (
        <Fact name={cancelAtPeriodEnd ? 'Ends on' : 'Renews on'}>
          <Day at={currentPeriodEnd} />
        </Fact>
      )}
    </dl>
  )
}

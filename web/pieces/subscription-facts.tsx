import { planName, type Subscription, stateName } from './subscription.js'
import { Day } from './when.js'

/** What there is to know about a subscription. */
export function SubscriptionFacts({ subscription }: { readonly subscription: Subscription }) {
  const { plan, currentPeriodEnd, cancelAtPeriodEnd } = subscription
  return (
    <dl>
      <div>
        <dt>State</dt>
        <dd>{stateName(subscription)}</dd>
      </div>
      {plan && (
        <div>
          <dt>Plan</dt>
          <dd>{planName(plan)}</dd>
        </div>
      )}
      {currentPeriodEnd && (
        <div>
          <dt>{cancelAtPeriodEnd ? 'Ends on' : 'Renews on'}</dt>
          <dd>
            <Day at={currentPeriodEnd} />
          </dd>
        </div>
      )}
    </dl>
  )
}

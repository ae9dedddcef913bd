import { isEnding, type Subscription } from '../../../../pieces/billing/subscription.js'
import { Hint, Warning } from '../../../../pieces/notice.js'
import { Day } from '../../../../pieces/when.js'

/** What has to be known about the subscription now; nothing when all is well. */
export function SubscriptionNotice({ subscription }: { readonly subscription: Subscription }) {
  const { state, status, endsAt, graceUntil } = subscription
  if (state === 'pending')
    return (
      <Hint>
        Your payment is on its way. A bank debit can take some days; your plan begins when it arrives.
      </Hint>
    )
  if (state === 'past_due')
    return (
      <Warning>
        A payment is overdue. Please pay
        {graceUntil && (
          <>
            {' '}
            by <Day at={graceUntil} />
          </>
        )}{' '}
        to keep your plan.
      </Warning>
    )
  if (state === 'restricted' && status === 'paused')
    return <Hint>Your subscription is paused. Resume it to get your plan back.</Hint>
  if (state === 'restricted')
    return (
      <Warning>
        Your plan has been suspended
        {graceUntil && (
          <>
            {' '}
            since <Day at={graceUntil} />
          </>
        )}{' '}
        because a payment is missing. It is restored as soon as you pay.
      </Warning>
    )
  if (isEnding(subscription) && endsAt)
    return (
      <Hint>
        Your subscription has been cancelled. You keep your plan until <Day at={endsAt} />.
      </Hint>
    )
  return null
}

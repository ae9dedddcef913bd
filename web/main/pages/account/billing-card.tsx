import type { Caller } from '@mainstay-auth/client'
import { priceText } from '../../../pieces/billing/plans.js'
import {
  hasPortal,
  isEnding,
  mayChange,
  maySubscribe,
  type Subscription,
} from '../../../pieces/billing/subscription.js'
import { SubscriptionFacts } from '../../../pieces/billing/subscription-facts.js'
import { ActionButton } from '../../../pieces/forms/button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { Failure, Hint, Warning } from '../../../pieces/notice.js'
import { Link } from '../../../pieces/router.js'
import { useLoad } from '../../../pieces/use-load.js'
import { Day } from '../../../pieces/when.js'
import { openPortal, readPlans } from '../../checkout.js'

/** What the account pays for, what it has to know about that, and what can be done. */
export function BillingCard({
  subscription,
  caller,
}: {
  readonly subscription: Subscription
  readonly caller: Caller
}) {
  // Prices are for whoever wants to know; without them everything else is still there.
  const plans = useLoad(readPlans).data ?? []
  const own = plans.find(({ priceId }) => priceId === subscription.plan)
  return (
    <>
      <Notice subscription={subscription} />
      <SubscriptionFacts subscription={subscription} price={own ? priceText(own) : null} />
      {caller.permissions.payments && <Actions subscription={subscription} isChoice={plans.length > 1} />}
    </>
  )
}

function Notice({ subscription }: { readonly subscription: Subscription }) {
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

function Actions({
  subscription,
  isChoice,
}: {
  readonly subscription: Subscription
  readonly isChoice: boolean
}) {
  const portal = useAction(openPortal)
  const words = portalWords(subscription)
  return (
    <>
      <div className="actions">
        {maySubscribe(subscription) && (
          <Link href="/subscribe" className="button primary">
            Subscribe
          </Link>
        )}
        {hasPortal(subscription) && (
          <ActionButton action={portal} kind={words.isUrgent ? 'primary' : 'plain'}>
            {words.name}
          </ActionButton>
        )}
        {mayChange(subscription) && !isEnding(subscription) && isChoice && (
          <Link href="/subscribe" className="button">
            Change plan
          </Link>
        )}
      </div>
      <Failure error={portal.error} />
    </>
  )
}

/** What people want of the provider's pages now. */
function portalWords(subscription: Subscription): { name: string; isUrgent: boolean } {
  const { state, status } = subscription
  const isOverdue = state === 'past_due' || (state === 'restricted' && status !== 'paused')
  if (isOverdue) return { name: 'Pay now', isUrgent: true }
  if (isEnding(subscription)) return { name: 'Keep the subscription', isUrgent: true }
  const hasNothingToCancel = state === 'canceled' || state === 'pending'
  return {
    name: hasNothingToCancel ? 'Invoices and cards' : 'Manage billing',
    isUrgent: false,
  }
}

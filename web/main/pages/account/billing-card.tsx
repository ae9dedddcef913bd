import type { Caller } from '../../../../client/index.js'
import { ActionRow } from '../../../pieces/action-row.js'
import { Hint } from '../../../pieces/notice.js'
import { priceText } from '../../../pieces/plans.js'
import { Link } from '../../../pieces/router.js'
import { hasPortal, mayChange, maySubscribe, type Subscription } from '../../../pieces/subscription.js'
import { SubscriptionFacts } from '../../../pieces/subscription-facts.js'
import { useAction } from '../../../pieces/use-action.js'
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

function Notice({
  subscription: { state, status, endsAt, graceUntil },
}: {
  readonly subscription: Subscription
}) {
  if (state === 'pending')
    return (
      <Hint>
        Your payment is on its way. A bank debit can take some days; your plan begins when it has arrived.
      </Hint>
    )
  if (state === 'past_due')
    return (
      <Hint>
        A payment is overdue. Please pay
        {graceUntil && (
          <>
            {' '}
            by <Day at={graceUntil} />
          </>
        )}{' '}
        to keep your plan.
      </Hint>
    )
  if (state === 'restricted' && status === 'paused')
    return <Hint>Your subscription is paused. Your plan comes back when you resume it.</Hint>
  if (state === 'restricted')
    return (
      <Hint>
        A payment is missing, so your plan is switched off
        {graceUntil && (
          <>
            {' '}
            since <Day at={graceUntil} />
          </>
        )}
        . It comes back as soon as you have paid.
      </Hint>
    )
  if (state !== 'canceled' && endsAt)
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
  return (
    <>
      {maySubscribe(subscription) && (
        <Link href="/subscribe" className="button primary">
          Subscribe
        </Link>
      )}
      {mayChange(subscription) && isChoice && (
        <p>
          <Link href="/subscribe">Change plan</Link>
        </p>
      )}
      {hasPortal(subscription) && <PortalButton subscription={subscription} />}
    </>
  )
}

function PortalButton({ subscription: { state, status, endsAt } }: { readonly subscription: Subscription }) {
  const portal = useAction(openPortal)
  const owes = state === 'past_due' || (state === 'restricted' && status !== 'paused')
  const isEnding = state !== 'canceled' && endsAt !== null
  const words = owes ? 'Pay now' : isEnding ? 'Keep the subscription' : 'Invoices, cards and cancelling'
  return <ActionRow action={portal}>{words}</ActionRow>
}

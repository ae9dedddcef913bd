import type { ReactNode } from 'react'
import { Fact } from '../fact.js'
import { t } from '../language/t.js'
import { Day } from '../time/when.js'
import { planText } from './plans.js'
import { StatusTag } from './status-tag.js'
import type { Subscription } from './subscription.js'

/** The facts about a subscription; `price` is in words, if known. */
export function SubscriptionFacts({
  subscription,
  price = null,
  isWide = false,
}: {
  readonly subscription: Subscription
  readonly price?: string | null
  /** Side by side, where there is room. */
  readonly isWide?: boolean
}) {
  const { planName: name, planNames: names, quantity } = subscription
  const date = importantDate(subscription)
  return (
    <dl className={isWide ? 'figures' : ''}>
      <Fact name={t('subscription.state')}>
        <StatusTag subscription={subscription} />
      </Fact>
      {name && <Fact name={t('subscription.plan')}>{planText({ name, names })}</Fact>}
      {price && <Fact name={t('subscription.price')}>{price}</Fact>}
      {quantity !== null && quantity > 1 && <Fact name={t('subscription.seats')}>{quantity}</Fact>}
      {date && <Fact name={date.name}>{date.day}</Fact>}
    </dl>
  )
}

/** The one date that matters to the person who pays, with what happens then. */
function importantDate({
  state,
  endsAt,
  renewsAt,
  graceUntil,
}: Subscription): { name: string; day: ReactNode } | null {
  if (state === 'canceled')
    return endsAt ? { name: t('subscription.endedOn'), day: <Day at={endsAt} /> } : null
  if (state === 'past_due' && graceUntil)
    return { name: t('subscription.payBy'), day: <Day at={graceUntil} /> }
  if (state === 'restricted' && graceUntil)
    return { name: t('subscription.suspendedSince'), day: <Day at={graceUntil} /> }
  if (endsAt) return { name: t('subscription.endsOn'), day: <Day at={endsAt} /> }
  if (!renewsAt) return null
  return {
    name: state === 'trialing' ? t('subscription.freeUntil') : t('subscription.renewsOn'),
    day: <Day at={renewsAt} />,
  }
}

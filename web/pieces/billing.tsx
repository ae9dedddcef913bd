import type { ReactNode } from 'react'
import { Icon } from './icon.js'
import {
  isPaused,
  money,
  type OfferedPlan,
  periodText,
  planText,
  type Subscription,
  stateName,
} from './subscription.js'
import { i18n, t } from './t.js'
import { Fact, T } from './text.js'
import { Day } from './time.js'

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

const LOOKS: Readonly<Record<string, string>> = {
  trialing: 'good',
  active: 'good',
  pending: 'warn',
  unconfirmed: 'warn',
  past_due: 'bad',
  restricted: 'bad',
}

/** The state of a subscription, in a word or two. */
function StatusTag({ subscription }: { readonly subscription: Subscription }) {
  const look = isPaused(subscription) ? 'warn' : (LOOKS[subscription.state] ?? '')
  return <span className={`tag ${look}`}>{stateName(subscription)}</span>
}

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

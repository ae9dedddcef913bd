import { useState } from 'react'
import { useEffect } from '../../../pieces/activity.js'
import { PlanCard, SubscriptionFacts } from '../../../pieces/billing.js'
import { ActionButton, useAction } from '../../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../../pieces/loading.js'
import { Failure, Hint, Success, Warning } from '../../../pieces/notices.js'
import { Empty, Page, Section } from '../../../pieces/page.js'
import { Link, usePlace } from '../../../pieces/router.js'
import {
  hasPortal,
  isActive,
  isCancelledPayment,
  isEnding,
  isPaused,
  mayChange,
  maySubscribe,
  money,
  type OfferedPlan,
  planText,
  priceText,
  readSubscription,
  type Subscription,
  type SubscriptionAfterReturn,
} from '../../../pieces/subscription.js'
import { t } from '../../../pieces/t.js'
import { T } from '../../../pieces/text.js'
import { Day } from '../../../pieces/time.js'
import { call, type Invoice } from '../../api.js'
import { BILLING_PAGE, openPortal, readPlans, startCheckout } from '../../checkout.js'
import { UnconfirmedPayment } from '../../unconfirmed-payment.js'

/** What the account pays for, what else is available, and what it has paid. For people who may make payments. */
export function BillingPage() {
  const { query } = usePlace()
  const subscription = useLoad(() => readSubscription(path => call('GET', path), query))
  const isChecking = usePaymentCheck(subscription)
  return (
    <Page title={t('billing.title')} lead={t('billing.lead')}>
      <Loaded of={subscription}>
        {loaded => (
          <>
            <PaymentNews subscription={loaded} isChecking={isChecking} />
            {isCancelledPayment(query) && maySubscribe(loaded) && <Hint>{t('billing.cancelled')}</Hint>}
            <Cards subscription={loaded} isChecking={isChecking} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Cards({
  subscription,
  isChecking,
}: {
  readonly subscription: SubscriptionAfterReturn
  /** A payment may have been made: the page leads to no other one. */
  readonly isChecking: boolean
}) {
  // Prices are optional; without them everything else is still shown.
  const plans = useLoad(readPlans)
  const offered = plans.data ?? []
  const own = offered.find(({ priceId }) => priceId === subscription.plan)
  const isWithoutPrices = plans.error !== null && maySubscribe(subscription)
  return (
    <LoadedTogether of={[plans]}>
      <Section title={t('subscription.title')}>
        <SubscriptionNotice subscription={subscription} />
        <SubscriptionFacts subscription={subscription} price={own ? priceText(own) : null} isWide />
        {hasPortal(subscription) && <PortalButton subscription={subscription} />}
        {isWithoutPrices && !isChecking && (
          <Link href="/subscribe" className="button primary">
            {t('subscribe.title')}
          </Link>
        )}
      </Section>
      {offered.length > 0 && !isChecking && <PlansCard subscription={subscription} plans={offered} />}
      {hasPortal(subscription) && <InvoicesCard />}
    </LoadedTogether>
  )
}

/** A payment may take some seconds; after this many requests we stop waiting. */
const MOST_QUESTIONS = 15
const ASK_EVERY_MS = 1_000

/**
 * After returning from the payment page, which itself proves nothing, asks until the service knows of the
 * payment. Returns whether it is still asking.
 */
function usePaymentCheck({ data, reload }: Load<SubscriptionAfterReturn>): boolean {
  const [questions, setQuestions] = useState(0)
  const isUnknown = data?.isReturn && maySubscribe(data) && data.state !== 'unconfirmed'
  const isWaiting = Boolean(isUnknown) && questions < MOST_QUESTIONS
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => {
      setQuestions(questions + 1)
      void reload()
    }, ASK_EVERY_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, questions, reload])
  return isWaiting
}

/** What became of the payment that a visitor returns from, unless it has a notice of its own; nothing for others. */
function PaymentNews({
  subscription,
  isChecking,
}: {
  readonly subscription: SubscriptionAfterReturn
  readonly isChecking: boolean
}) {
  if (!subscription.isReturn || subscription.state === 'unconfirmed') return null
  if (isChecking) return <Hint isNews>{t('payment.checking')}</Hint>
  if (subscription.state === 'pending') return <Success>{t('payment.onItsWay')}</Success>
  return isActive(subscription) ? <Success>{t('payment.active')}</Success> : <Hint>{t('payment.none')}</Hint>
}

/** What people must know about the subscription now; nothing when all is well. */
function SubscriptionNotice({ subscription }: { readonly subscription: Subscription }) {
  const { state, endsAt, graceUntil } = subscription
  if (state === 'pending') return <Hint>{t('notice.pending')}</Hint>
  if (state === 'unconfirmed') return <UnconfirmedPayment subscription={subscription} />
  if (state === 'past_due')
    return (
      <Warning isMild>
        {graceUntil ? <T id="notice.overdueBy" date={<Day at={graceUntil} />} /> : t('notice.overdue')}
      </Warning>
    )
  if (isPaused(subscription)) return <Hint>{t('notice.paused')}</Hint>
  if (state === 'restricted')
    return (
      <Warning>
        {graceUntil ? <T id="notice.suspendedSince" date={<Day at={graceUntil} />} /> : t('notice.suspended')}
      </Warning>
    )
  if (isEnding(subscription) && endsAt)
    return (
      <Hint>
        <T id="notice.ending" date={<Day at={endsAt} />} />
      </Hint>
    )
  return null
}

/** Leads to the provider's pages; its label says what people need there now. */
function PortalButton({ subscription }: { readonly subscription: Subscription }) {
  const portal = useAction(openPortal)
  const words = portalWords(subscription)
  return (
    <>
      <Failure error={portal.error} />
      <div className="actions">
        <ActionButton action={portal} kind={words.isUrgent ? 'primary' : 'plain'}>
          {words.name}
        </ActionButton>
      </div>
    </>
  )
}

function portalWords(subscription: Subscription): { name: string; isUrgent: boolean } {
  const { state } = subscription
  const isOverdue = state === 'past_due' || (state === 'restricted' && !isPaused(subscription))
  if (isOverdue) return { name: t('portal.pay'), isUrgent: true }
  if (isEnding(subscription)) return { name: t('portal.keep'), isUrgent: true }
  const hasNothingToCancel = ['canceled', 'pending', 'unconfirmed'].includes(state)
  return {
    name: hasNothingToCancel ? t('portal.invoices') : t('portal.manage'),
    isUrgent: false,
  }
}

/** The plans on sale, with a way to get them where that is possible now. */
function PlansCard({
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
            <Choose
              plan={plan}
              isChange={isChange}
              isOneOfSeveral={plans.some(other => other !== plan && other.name === plan.name)}
            />
          </PlanCard>
        ))}
      </ul>
    </Section>
  )
}

function Choose({
  plan,
  isChange,
  isOneOfSeveral,
}: {
  readonly plan: OfferedPlan
  readonly isChange: boolean
  /** Whether others have its name, at another price. */
  readonly isOneOfSeveral: boolean
}) {
  // A change of plan involves no payment there, so returning from it does not mean that a payment was abandoned.
  const back = isChange ? `${location.origin}${BILLING_PAGE}` : null
  const action = useAction(() => startCheckout(plan.priceId, back))
  const price = isOneOfSeveral ? priceText(plan) : null
  const name = isChange
    ? t('plan.changeTo', { name: price ?? planText(plan) })
    : t('plan.subscribeTo', { name: planText(plan) })
  return (
    <>
      <ActionButton
        action={action}
        kind={isChange ? 'plain' : 'primary'}
        label={price === null || isChange ? name : `${name}: ${price}`}
      >
        {name}
      </ActionButton>
      <Failure error={action.error} />
    </>
  )
}

const INVOICE_LOOKS = { paid: 'good', open: 'warn', void: '', uncollectible: 'bad' } as const

/** The newest invoices of the account, from the payment provider. */
function InvoicesCard() {
  const list = useLoad(() => call<{ readonly invoices: readonly Invoice[] }>('GET', 'invoices'))
  return (
    <Section title={t('invoice.title')}>
      <Loaded of={list} shape="rows">
        {({ invoices }) =>
          invoices.length === 0 ? (
            <Empty icon="card">{t('invoice.none')}</Empty>
          ) : (
            <InvoiceTable invoices={invoices} />
          )
        }
      </Loaded>
    </Section>
  )
}

function InvoiceTable({ invoices }: { readonly invoices: readonly Invoice[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('invoice.date')}</th>
          <th scope="col">{t('invoice.number')}</th>
          <th scope="col">{t('invoice.status')}</th>
          <th scope="col">{t('entries.amount')}</th>
          <th scope="col">{t('invoice.documents')}</th>
        </tr>
      </thead>
      <tbody>
        {invoices.map(invoice => (
          <InvoiceRow key={invoice.id} invoice={invoice} />
        ))}
      </tbody>
    </table>
  )
}

function InvoiceRow({ invoice }: { readonly invoice: Invoice }) {
  const { id, number, createdAt, amount, currency, status, url, pdfUrl } = invoice
  const named = number ?? id
  return (
    <tr>
      <td data-name={t('invoice.date')}>
        <Day at={createdAt} />
      </td>
      <td data-name={t('invoice.number')}>{number ?? '–'}</td>
      <td data-name={t('invoice.status')}>
        <span className={`tag ${INVOICE_LOOKS[status]}`}>{t(`invoice.state.${status}`)}</span>
      </td>
      <td data-name={t('entries.amount')}>{money(amount, currency)}</td>
      <td data-name={t('invoice.documents')}>
        <span className="documents">
          {url && (
            <a href={url} aria-label={t('invoice.viewNamed', { named })}>
              {t('invoice.view')}
            </a>
          )}
          {pdfUrl && (
            <a href={pdfUrl} aria-label={t('invoice.pdfNamed', { named })}>
              {t('invoice.pdf')}
            </a>
          )}
        </span>
      </td>
    </tr>
  )
}

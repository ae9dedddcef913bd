import { priceText } from '../../../../pieces/billing/plans.js'
import {
  hasPortal,
  isCancelledPayment,
  maySubscribe,
  readSubscription,
  type SubscriptionAfterReturn,
} from '../../../../pieces/billing/subscription.js'
import { SubscriptionFacts } from '../../../../pieces/billing/subscription-facts.js'
import { t } from '../../../../pieces/language/t.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Hint } from '../../../../pieces/notices/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import { Link, usePlace } from '../../../../pieces/router.js'
import { call } from '../../../api.js'
import { readPlans } from '../../../payment/checkout.js'
import { InvoicesCard } from './invoices-card.js'
import { PaymentNews, usePaymentCheck } from './payment-news.js'
import { PlansCard } from './plans-card.js'
import { PortalButton } from './portal-button.js'
import { SubscriptionNotice } from './subscription-notice.js'

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
  /** A payment may have been made: nobody is led to another one. */
  readonly isChecking: boolean
}) {
  // Prices are optional; without them everything else is still shown.
  const plans = useLoad(readPlans)
  const offered = plans.data ?? []
  const own = offered.find(({ priceId }) => priceId === subscription.plan)
  const isWithoutPrices = plans.error !== null && maySubscribe(subscription)
  return (
    <>
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
    </>
  )
}

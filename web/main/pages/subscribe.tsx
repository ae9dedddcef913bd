import { type Caller, MainstayError } from '@mainstay-auth/client'
import { PlanWords, SubscriptionFacts } from '../../pieces/billing.js'
import { Form, type Texts } from '../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../pieces/loading.js'
import { Failure, Hint } from '../../pieces/notices.js'
import { SmallPage, WayOn } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { mayChange, maySubscribe, type OfferedPlan, type Subscription } from '../../pieces/subscription.js'
import { t } from '../../pieces/t.js'
import { breakable } from '../../pieces/text.js'
import { BILLING_PAGE, readOwnSubscription, readPlans, startCheckout } from '../checkout.js'
import { ownReturn, type SafeReturn } from '../return-url.js'
import { UnconfirmedPayment } from '../unconfirmed-payment.js'

/** A change of plan involves no payment there, so returning from it does not mean that a payment was abandoned. */
const BILLING = `${location.origin}${BILLING_PAGE}`

/** Where satellites send people who want to subscribe: payments are made only on the main site. */
export function SubscribePage({
  caller,
  returnUrl,
}: {
  readonly caller: Caller
  readonly returnUrl: string | null
}) {
  const subscription = useLoad(readOwnSubscription)
  const way = useLoad(() => ownReturn(returnUrl), returnUrl ?? '')
  const plans = useLoad(readPlans)
  if (returnUrl && way.data && !way.data.url) return <WrongReturn />
  return (
    <SmallPage
      title={
        subscription.data && mayChange(subscription.data) ? t('subscribe.changePlan') : t('subscribe.title')
      }
      isRoomy
    >
      <LoadedTogether of={[subscription, way, plans]}>
        <Loaded of={subscription}>
          {loaded => (
            <>
              {loaded.state === 'unconfirmed' && <UnconfirmedPayment subscription={loaded} />}
              {!maySubscribe(loaded) && <SubscriptionFacts subscription={loaded} />}
              <Loaded of={way}>
                {back => <Choice subscription={loaded} caller={caller} back={back} plans={plans} />}
              </Loaded>
            </>
          )}
        </Loaded>
        {way.data && (
          <p className="links">
            {way.data.url ? (
              <a href={way.data.url}>{t('common.backTo', { host: way.data.site })}</a>
            ) : (
              <Link href="/account">{t('subscribe.backToAccount')}</Link>
            )}
          </p>
        )}
      </LoadedTogether>
    </SmallPage>
  )
}

/** Shown before the user chooses a plan, because the service would refuse at the last step. */
function WrongReturn() {
  return (
    <SmallPage title={t('subscribe.title')}>
      <Failure error={new MainstayError(400, { code: 'INVALID_RETURN_URL' })} />
      <WayOn href="/subscribe">{t('subscribe.withoutReturn')}</WayOn>
      <p className="links">
        <Link href="/account">{t('subscribe.account')}</Link>
      </p>
    </SmallPage>
  )
}

function Choice({
  subscription,
  caller,
  back,
  plans,
}: {
  readonly subscription: Subscription
  readonly caller: Caller
  readonly back: SafeReturn
  readonly plans: Load<readonly OfferedPlan[]>
}) {
  const isChange = mayChange(subscription)
  if (!isChange && !maySubscribe(subscription))
    return (
      <Hint>
        {subscription.state === 'pending' ? t('error.PAYMENT_PENDING') : t('error.ALREADY_SUBSCRIBED')}
      </Hint>
    )
  if (!caller.permissions.payments) return <Hint>{t('error.PAYMENTS_PERMISSION_REQUIRED')}</Hint>
  if (plans.error && !isChange) return <WithoutPrices back={back} reload={plans.reload} />
  return (
    <Loaded of={plans}>
      {offered => {
        const others = offered.filter(({ priceId }) => !isChange || priceId !== subscription.plan)
        if (others.length === 0)
          return <Hint>{isChange ? t('subscribe.noOther') : t('subscribe.noPlan')}</Hint>
        return (
          <Form
            submit={isChange ? t('subscribe.review') : t('subscribe.pay')}
            send={({ priceId }: Texts) => startCheckout(priceId, back.url ?? (isChange ? BILLING : null))}
          >
            <PlanChoice name={isChange ? t('subscribe.newPlan') : t('subscription.plan')} plans={others} />
            {isChange && <p>{t('subscribe.nothingYet')}</p>}
            <Afterwards back={back} />
          </Form>
        )
      }}
    </Loaded>
  )
}

/** Prices help to choose; without them people can still get the standard plan. */
function WithoutPrices({
  back,
  reload,
}: {
  readonly back: SafeReturn
  readonly reload: () => Promise<void>
}) {
  return (
    <>
      <Hint>{t('subscribe.noPrices')}</Hint>
      <div className="actions">
        <button type="button" onClick={() => void reload()}>
          {t('common.tryAgain')}
        </button>
      </div>
      <Form submit={t('subscribe.pay')} send={() => startCheckout(undefined, back.url)}>
        <Afterwards back={back} />
      </Form>
    </>
  )
}

function Afterwards({ back: { site } }: { readonly back: SafeReturn }) {
  return site && <p>{breakable(t('subscribe.afterwards', { host: site }))}</p>
}

function PlanChoice({ name, plans }: { readonly name: string; readonly plans: readonly OfferedPlan[] }) {
  return (
    <fieldset>
      <legend>{name}</legend>
      <div className="plans">
        {plans.map((plan, index) => (
          <label key={plan.priceId} className="plan">
            <input type="radio" name="priceId" value={plan.priceId} defaultChecked={index === 0} />
            <PlanWords plan={plan} />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

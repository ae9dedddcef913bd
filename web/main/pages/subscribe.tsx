import { type Caller, MainstayError } from '@mainstay-auth/client'
import { PlanWords } from '../../pieces/billing/plan-card.js'
import type { OfferedPlan } from '../../pieces/billing/plans.js'
import { mayChange, maySubscribe, type Subscription } from '../../pieces/billing/subscription.js'
import { SubscriptionFacts } from '../../pieces/billing/subscription-facts.js'
import { Form, type Texts } from '../../pieces/forms/form.js'
import { Failure, Hint } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { hostOf } from '../../pieces/site.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { call } from '../api.js'
import { BILLING_PAGE, readPlans, startCheckout } from '../checkout.js'
import { ownReturn } from '../return-url.js'

/** Who changes a plan has paid nothing there, so coming back from that is no payment given up. */
const BILLING = `${location.origin}${BILLING_PAGE}`

/** Where satellites send people who want to subscribe: payments are made on the main site only. */
export function SubscribePage({
  caller,
  returnUrl,
}: {
  readonly caller: Caller
  readonly returnUrl: string | null
}) {
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription'))
  const way = useLoad(() => ownReturn(returnUrl), returnUrl ?? '')
  if (returnUrl && way.data && !way.data.url) return <WrongReturn />
  return (
    <SmallPage
      title={subscription.data && mayChange(subscription.data) ? 'Change plan' : 'Subscribe'}
      isRoomy
    >
      <Loaded of={subscription}>
        {loaded => (
          <>
            {!maySubscribe(loaded) && <SubscriptionFacts subscription={loaded} />}
            <Loaded of={way}>
              {({ url }) => <Choice subscription={loaded} caller={caller} returnUrl={url} />}
            </Loaded>
          </>
        )}
      </Loaded>
      {way.data && (
        <p className="links">
          {way.data.url ? (
            <a href={way.data.url}>Back to {hostOf(way.data.url)}</a>
          ) : (
            <Link href="/account">Back to your account</Link>
          )}
        </p>
      )}
    </SmallPage>
  )
}

/** Said before anybody chooses a plan: the service would refuse it at the last step. */
function WrongReturn() {
  return (
    <SmallPage title="Subscribe">
      <Failure error={new MainstayError(400, { code: 'INVALID_RETURN_URL' })} />
      <p className="links">
        <Link href="/subscribe">Subscribe without going back there</Link>
        <Link href="/account">Your account</Link>
      </p>
    </SmallPage>
  )
}

function Choice({
  subscription,
  caller,
  returnUrl,
}: {
  readonly subscription: Subscription
  readonly caller: Caller
  readonly returnUrl: string | null
}) {
  const plans = useLoad(readPlans)
  const isChange = mayChange(subscription)
  if (!isChange && !maySubscribe(subscription))
    return (
      <Hint>
        {subscription.state === 'pending' ? ON_ITS_WAY : 'This account already has a subscription.'}
      </Hint>
    )
  if (!caller.permissions.payments)
    return <Hint>You do not have permission to make payments for this account. Please ask its owner.</Hint>
  if (plans.error && !isChange) return <WithoutPrices returnUrl={returnUrl} reload={plans.reload} />
  return (
    <Loaded of={plans}>
      {offered => {
        const others = offered.filter(({ priceId }) => !isChange || priceId !== subscription.plan)
        if (others.length === 0)
          return <Hint>{isChange ? 'There is no other plan at the moment.' : NOTHING_ON_SALE}</Hint>
        return (
          <Form
            submit={isChange ? 'Review the change' : 'Go to payment'}
            send={({ priceId }: Texts) => startCheckout(priceId, returnUrl ?? (isChange ? BILLING : null))}
          >
            <PlanChoice name={isChange ? 'New plan' : 'Plan'} plans={others} />
            {isChange && (
              <p>The next page shows what the change costs. Nothing changes until you confirm it there.</p>
            )}
            <Afterwards returnUrl={returnUrl} />
          </Form>
        )
      }}
    </Loaded>
  )
}

/** Prices are to choose from; who cannot see them can still have the standard plan. */
function WithoutPrices({
  returnUrl,
  reload,
}: {
  readonly returnUrl: string | null
  readonly reload: () => Promise<void>
}) {
  return (
    <>
      <Hint>
        We cannot show our prices at the moment. Try again, or continue with our standard plan; the payment
        page shows its price before you pay.
      </Hint>
      <div className="actions">
        <button type="button" onClick={() => void reload()}>
          Try again
        </button>
      </div>
      <Form submit="Go to payment" send={() => startCheckout(undefined, returnUrl)}>
        <Afterwards returnUrl={returnUrl} />
      </Form>
    </>
  )
}

function Afterwards({ returnUrl }: { readonly returnUrl: string | null }) {
  return returnUrl && <p>You will return to {hostOf(returnUrl)} afterwards.</p>
}

const NOTHING_ON_SALE = 'There is no plan to subscribe to at the moment.'

const ON_ITS_WAY = 'Your payment is on its way. It can take a few days to arrive.'

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

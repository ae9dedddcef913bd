import type { Caller } from '../../../client/index.js'
import { Form, type Texts } from '../../pieces/form.js'
import { Hint } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { hostOf, site } from '../../pieces/site.js'
import { maySubscribe, planName, type Subscription } from '../../pieces/subscription.js'
import { SubscriptionFacts } from '../../pieces/subscription-facts.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { call } from '../api.js'
import { startCheckout } from '../checkout.js'

/** Where satellites send people who want to subscribe: payments are made on the main site only. */
export function SubscribePage({
  caller,
  returnUrl,
}: {
  readonly caller: Caller
  readonly returnUrl: string | null
}) {
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription'))
  return (
    <SmallPage title="Subscribe">
      <Loaded of={subscription}>
        {loaded =>
          !maySubscribe(loaded) ? (
            <>
              <Hint>This account has a subscription already.</Hint>
              <SubscriptionFacts subscription={loaded} />
            </>
          ) : caller.permissions.payments ? (
            <Form submit="Go to the payment" send={({ priceId }: Texts) => startCheckout(priceId, returnUrl)}>
              <PlanChoice />
              {returnUrl && <p>Afterwards you go back to {hostOf(returnUrl)}.</p>}
            </Form>
          ) : (
            <Hint>You may not make payments for this account. Please ask its owner.</Hint>
          )
        }
      </Loaded>
      <p className="links">
        {isOurs(returnUrl) ? (
          <a href={returnUrl}>Back to {hostOf(returnUrl)}</a>
        ) : (
          <Link href="/account">Back to your account</Link>
        )}
      </p>
    </SmallPage>
  )
}

/** Nothing where there is nothing to choose. */
function PlanChoice() {
  if (site.priceIds.length < 2) return null
  return (
    <fieldset>
      <legend>Plan</legend>
      {site.priceIds.map((priceId, index) => (
        <label key={priceId} className="choice">
          <input type="radio" name="priceId" value={priceId} defaultChecked={index === 0} />
          {planName(priceId)}
        </label>
      ))}
    </fieldset>
  )
}

/** A link to anywhere else would let strangers use our name to lead people astray. */
function isOurs(url: string | null): url is string {
  if (!url || !URL.canParse(url)) return false
  return [location.origin, ...site.satellites].includes(new URL(url).origin)
}

import type { Caller, Permissions } from '@mainstay-auth/client'
import {
  isActive,
  isCancelledPayment,
  maySubscribe,
  paymentReturnUrl,
  readSubscription,
  type SubscriptionAfterReturn,
} from '../../pieces/billing/subscription.js'
import { SubscriptionFacts } from '../../pieces/billing/subscription-facts.js'
import { Fact } from '../../pieces/fact.js'
import { Hint, Success } from '../../pieces/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { PermissionList } from '../../pieces/permission-list.js'
import { usePlace } from '../../pieces/router.js'
import { hostOf, site } from '../../pieces/site.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { read } from '../client.js'

interface Profile {
  readonly email: string
  readonly name: string | null
  /** What they may do on the main site. */
  readonly granted: Permissions
}

export function WhoAmIPage({ caller }: { readonly caller: Caller }) {
  const profile = useLoad(() => read<Profile>('profile'))
  const { query } = usePlace()
  const subscription = useLoad(() => readSubscription(read, query))
  return (
    <Page title="My account">
      <Section title="You">
        <Loaded of={profile}>
          {({ email, name }) => (
            <dl>
              <Fact name="E-mail">{email}</Fact>
              {name && <Fact name="Name">{name}</Fact>}
            </dl>
          )}
        </Loaded>
        <h3>What you may do on this site</h3>
        <PermissionList permissions={caller.permissions} />
        <p>
          Payments, account settings and the team are managed on{' '}
          <a href={`${site.mainUrl}/account`}>{hostOf(site.mainUrl)}</a>.
        </p>
      </Section>
      <Section title="Subscription">
        <Loaded of={subscription}>
          {loaded => (
            <SubscriptionHere
              subscription={loaded}
              mayPay={profile.data?.granted.payments}
              reload={subscription.reload}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  )
}

/** Payments are made on the main site only: this leads there, and back to here. */
function SubscriptionHere({
  subscription,
  mayPay,
  reload,
}: {
  readonly subscription: SubscriptionAfterReturn
  /** Undefined until it is known. */
  readonly mayPay: boolean | undefined
  readonly reload: () => Promise<void>
}) {
  const { query } = usePlace()
  const mayStart = maySubscribe(subscription)
  const back = paymentReturnUrl(`${location.origin}/`)
  return (
    <>
      {isCancelledPayment(query) && <Hint>The payment was cancelled. Nothing has been charged.</Hint>}
      {subscription.isReturn && isActive(subscription) && (
        <Success>Thank you. The subscription is active.</Success>
      )}
      <SubscriptionFacts subscription={subscription} />
      {subscription.isReturn && mayStart && (
        <Hint>
          No payment has arrived yet.{' '}
          <button type="button" className="plain" onClick={() => void reload()}>
            Check again
          </button>
        </Hint>
      )}
      {mayStart && mayPay && (
        <a className="button primary" href={`${site.mainUrl}/subscribe?return=${encodeURIComponent(back)}`}>
          Subscribe
        </a>
      )}
      {mayStart && mayPay === false && <p>Ask whoever handles payments for your account to subscribe.</p>}
    </>
  )
}

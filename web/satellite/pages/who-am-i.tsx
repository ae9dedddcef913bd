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
import { t } from '../../pieces/language/t.js'
import { T } from '../../pieces/language/text.js'
import { useLoad } from '../../pieces/loading/use-load.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Hint, Success } from '../../pieces/notices/notice.js'
import { Page, Section } from '../../pieces/page.js'
import { PermissionList } from '../../pieces/people/permission-list.js'
import { usePlace } from '../../pieces/router.js'
import { hostOf, site } from '../../pieces/site/site.js'
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
    <Page title={t('satellite.me')}>
      <Section title={t('nav.you')}>
        <Loaded of={profile}>
          {({ email, name }) => (
            <dl>
              <Fact name={t('field.email')}>{email}</Fact>
              {name && <Fact name={t('field.name')}>{name}</Fact>}
            </dl>
          )}
        </Loaded>
        <h3>{t('satellite.may')}</h3>
        <PermissionList permissions={caller.permissions} />
        <p>
          <T
            id="satellite.managedOn"
            host={hostOf(site.mainUrl)}
            link={<a href={`${site.mainUrl}/account`} />}
          />
        </p>
      </Section>
      <Section title={t('subscription.title')}>
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

/** Payments are made only on the main site: this leads there, and back here. */
function SubscriptionHere({
  subscription,
  mayPay,
  reload,
}: {
  readonly subscription: SubscriptionAfterReturn
  /** Undefined until known. */
  readonly mayPay: boolean | undefined
  readonly reload: () => Promise<void>
}) {
  const { query } = usePlace()
  const mayStart = maySubscribe(subscription)
  const back = paymentReturnUrl(`${location.origin}/`)
  return (
    <>
      {isCancelledPayment(query) && mayStart && <Hint>{t('billing.cancelled')}</Hint>}
      {subscription.isReturn && isActive(subscription) && <Success>{t('billing.thanks')}</Success>}
      <SubscriptionFacts subscription={subscription} />
      {subscription.isReturn && mayStart && (
        <Hint>
          {t('billing.notArrived')}{' '}
          <button type="button" className="plain" onClick={() => void reload()}>
            {t('billing.checkAgain')}
          </button>
        </Hint>
      )}
      {mayStart && mayPay && (
        <div className="actions">
          <a className="button primary" href={`${site.mainUrl}/subscribe?return=${encodeURIComponent(back)}`}>
            {t('subscribe.title')}
          </a>
        </div>
      )}
      {mayStart && mayPay === false && <p>{t('subscribe.askSomebody')}</p>}
    </>
  )
}

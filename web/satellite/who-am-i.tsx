import type { Caller } from '@mainstay-auth/client'
import { SubscriptionFacts } from '../pieces/billing.js'
import { Loaded, LoadedTogether, useLoad } from '../pieces/loading.js'
import { Hint, Success } from '../pieces/notices.js'
import { Page, Section } from '../pieces/page.js'
import { PermissionList } from '../pieces/people.js'
import { usePlace } from '../pieces/router.js'
import { mainName, site } from '../pieces/site.js'
import {
  isActive,
  isCancelledPayment,
  maySubscribe,
  paymentReturnUrl,
  readSubscription,
  type SubscriptionAfterReturn,
} from '../pieces/subscription.js'
import { t } from '../pieces/t.js'
import { Fact, T } from '../pieces/text.js'
import { read } from './client.js'

interface Profile {
  readonly email: string
  readonly name: string | null
}

export function WhoAmIPage({ caller }: { readonly caller: Caller }) {
  const { query } = usePlace()
  const profile = useLoad(() => read<Profile>('profile'))
  const subscription = useLoad(async () => ({
    found: site.takesPayments ? await readSubscription(read, query) : null,
  }))
  return (
    <Page title={t('satellite.me')}>
      <LoadedTogether of={[profile, subscription]}>
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
            <T id="satellite.managedOn" main={mainName()} link={<a href={`${site.mainUrl}/account`} />} />
          </p>
        </Section>
        {site.takesPayments && (
          <Section title={t('subscription.title')}>
            <Loaded of={subscription}>
              {({ found }) => found && <SubscriptionHere subscription={found} reload={subscription.reload} />}
            </Loaded>
          </Section>
        )}
      </LoadedTogether>
    </Page>
  )
}

/** Payments are made only on the main site: this leads there, and back here. It says there who may not make them. */
function SubscriptionHere({
  subscription,
  reload,
}: {
  readonly subscription: SubscriptionAfterReturn
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
      {mayStart && (
        <div className="actions">
          <a className="button primary" href={`${site.mainUrl}/subscribe?return=${encodeURIComponent(back)}`}>
            {t('subscribe.title')}
          </a>
        </div>
      )}
    </>
  )
}

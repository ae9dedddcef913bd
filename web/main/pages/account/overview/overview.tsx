import type { Caller } from '@mainstay-auth/client'
import type { Subscription } from '../../../../pieces/billing/subscription.js'
import { SubscriptionFacts } from '../../../../pieces/billing/subscription-facts.js'
import { Fact } from '../../../../pieces/fact.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Warning } from '../../../../pieces/notices/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import { PERMISSIONS, permissionName } from '../../../../pieces/people/permission-names.js'
import { Link } from '../../../../pieces/router.js'
import { SiteLinks } from '../../../../pieces/site/site-links.js'
import { When } from '../../../../pieces/time/when.js'
import type { Account, Profile } from '../../../answers.js'
import { call } from '../../../api.js'
import { AccountCard } from './account-card.js'
import { readFacts } from './account-facts.js'
import { LatestActivity } from './latest-activity.js'
import { SetUp } from './set-up.js'

export function OverviewPage({ caller }: { readonly caller: Caller }) {
  const { permissions } = caller
  const facts = useLoad(() => readFacts(permissions))
  return (
    <Page title={t('overview.title')}>
      {permissions.accountSettings && <DeletionWarning />}
      <Loaded of={facts} shape="rows">
        {loaded => <SetUp facts={loaded} />}
      </Loaded>
      <div className="columns">
        <LatestActivity isOfAccount={permissions.accountSettings} />
        <div>
          <SubscriptionCard mayPay={permissions.payments} />
          {facts.data && <AccountCard facts={facts.data} />}
          <YouCard caller={caller} />
        </div>
      </div>
    </Page>
  )
}

function SubscriptionCard({ mayPay }: { readonly mayPay: boolean }) {
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription'))
  return (
    <Section title={t('subscription.title')}>
      <Loaded of={subscription}>{loaded => <SubscriptionFacts subscription={loaded} />}</Loaded>
      {mayPay && (
        <p>
          <Link href="/account/billing">{t('overview.toBilling')}</Link>
        </p>
      )}
    </Section>
  )
}

function YouCard({ caller: { permissions } }: { readonly caller: Caller }) {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  return (
    <Section title={t('nav.you')}>
      <Loaded of={profile}>
        {({ email, name, role, satellites }) => (
          <dl>
            <Fact name={t('field.email')}>{email}</Fact>
            {name && <Fact name={t('field.name')}>{name}</Fact>}
            <Fact name={t('role.title')}>
              {role === 'owner' ? t('role.ownerLong') : t('role.memberLong')}
            </Fact>
            <Fact name={t('permission.title')}>
              <span className="tags">
                {PERMISSIONS.filter(permission => permissions[permission]).map(permission => (
                  <span key={permission} className="tag">
                    {permissionName(permission)}
                  </span>
                ))}
              </span>
            </Fact>
            {satellites && (
              <Fact name={t('overview.sites')}>
                <SiteLinks origins={satellites} />
              </Fact>
            )}
          </dl>
        )}
      </Loaded>
    </Section>
  )
}

function DeletionWarning() {
  const account = useLoad(() => call<Account>('GET', 'account'))
  if (!account.data?.deleteAt) return null
  return (
    <Warning>
      <T id="deletion.on" date={<When at={account.data.deleteAt} />} />{' '}
      <Link href="/account/settings">{t('deletion.cancel')}</Link>
    </Warning>
  )
}

import type { Caller } from '@mainstay-auth/client'
import type { Subscription } from '../../../../pieces/billing/subscription.js'
import { SubscriptionFacts } from '../../../../pieces/billing/subscription-facts.js'
import { Fact } from '../../../../pieces/fact.js'
import { Hint } from '../../../../pieces/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import { PERMISSIONS, permissionName } from '../../../../pieces/permission-names.js'
import { Link } from '../../../../pieces/router.js'
import { SiteLinks } from '../../../../pieces/site-links.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { When } from '../../../../pieces/when.js'
import type { Account, Profile } from '../../../answers.js'
import { call } from '../../../api.js'
import { AccountCard } from './account-card.js'
import { readFacts } from './account-facts.js'
import { LatestActivity } from './latest-activity.js'
import { SetUp } from './set-up.js'

export function OverviewPage({ caller }: { readonly caller: Caller }) {
  const { permissions } = caller
  const facts = useLoad(() => readFacts(permissions)).data
  return (
    <Page title="Overview">
      {permissions.accountSettings && <DeletionWarning />}
      {facts && <SetUp facts={facts} />}
      <div className="columns">
        <LatestActivity isOfAccount={permissions.accountSettings} />
        <div>
          <SubscriptionCard mayPay={permissions.payments} />
          {facts && <AccountCard facts={facts} />}
          <YouCard caller={caller} />
        </div>
      </div>
    </Page>
  )
}

function SubscriptionCard({ mayPay }: { readonly mayPay: boolean }) {
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription'))
  return (
    <Section title="Subscription">
      <Loaded of={subscription}>{loaded => <SubscriptionFacts subscription={loaded} />}</Loaded>
      {mayPay && (
        <p>
          <Link href="/account/billing">Plans, payments and invoices</Link>
        </p>
      )}
    </Section>
  )
}

function YouCard({ caller: { permissions } }: { readonly caller: Caller }) {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  return (
    <Section title="You">
      <Loaded of={profile}>
        {({ email, name, role, satellites }) => (
          <dl>
            <Fact name="E-mail">{email}</Fact>
            {name && <Fact name="Name">{name}</Fact>}
            <Fact name="Role">{role === 'owner' ? 'Owner of the account' : 'Member of the team'}</Fact>
            <Fact name="Permissions">
              <span className="tags">
                {PERMISSIONS.filter(permission => permissions[permission]).map(permission => (
                  <span key={permission} className="tag">
                    {permissionName(permission)}
                  </span>
                ))}
              </span>
            </Fact>
            {satellites && (
              <Fact name="Your sites">
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
    <Hint>
      This account will be deleted on <When at={account.data.deleteAt} />.{' '}
      <Link href="/account/settings">Cancel the deletion</Link>
    </Hint>
  )
}

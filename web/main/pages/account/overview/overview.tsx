import type { Caller, Permissions } from '@mainstay-auth/client'
import { useEffect } from 'react'
import type { Subscription } from '../../../../pieces/billing/subscription.js'
import { SubscriptionFacts } from '../../../../pieces/billing/subscription-facts.js'
import { Fact } from '../../../../pieces/fact.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { type Load, useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded, LoadedTogether } from '../../../../pieces/loading/waiting.js'
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
import { LatestActivity, useLatestActivity } from './latest-activity.js'
import { SetUp } from './set-up.js'

export function OverviewPage({
  caller,
  profile,
}: {
  readonly caller: Caller
  readonly profile: Load<Profile>
}) {
  const { permissions } = caller
  const facts = useLoad(() => readFacts(permissions))
  const events = useLatestActivity(permissions.accountSettings)
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription'))
  const deletion = useLoad(() => readDeletion(permissions))
  // It was loaded for the menu, perhaps long ago.
  useEffect(() => {
    if (profile.data) void profile.reload()
  }, [])
  return (
    <Page title={t('overview.title')}>
      <LoadedTogether of={[facts, events, subscription, deletion, profile]}>
        {deletion.data?.deleteAt && <DeletionWarning deleteAt={deletion.data.deleteAt} />}
        <Loaded of={facts} shape="rows">
          {loaded => <SetUp facts={loaded} />}
        </Loaded>
        <div className="columns">
          <LatestActivity isOfAccount={permissions.accountSettings} events={events} />
          <div>
            <SubscriptionCard mayPay={permissions.payments} subscription={subscription} />
            {facts.data && <AccountCard facts={facts.data} />}
            <YouCard caller={caller} profile={profile} />
          </div>
        </div>
      </LoadedTogether>
    </Page>
  )
}

function SubscriptionCard({
  mayPay,
  subscription,
}: {
  readonly mayPay: boolean
  readonly subscription: Load<Subscription>
}) {
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

function YouCard({
  caller: { permissions },
  profile,
}: {
  readonly caller: Caller
  readonly profile: Load<Profile>
}) {
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

/** When the account will be deleted, for people who may stop that. */
async function readDeletion({ accountSettings }: Permissions): Promise<Pick<Account, 'deleteAt'>> {
  return accountSettings ? call<Account>('GET', 'account') : { deleteAt: null }
}

function DeletionWarning({ deleteAt }: { readonly deleteAt: string }) {
  return (
    <Warning>
      <T id="deletion.on" date={<When at={deleteAt} />} />{' '}
      <Link href="/account/settings">{t('deletion.cancel')}</Link>
    </Warning>
  )
}

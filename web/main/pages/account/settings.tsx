import { isOpenEnded, type Subscription } from '../../../pieces/billing/subscription.js'
import { ActionButton } from '../../../pieces/forms/button.js'
import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import { type Load, useLoad } from '../../../pieces/loading/use-load.js'
import { Loaded, LoadedTogether } from '../../../pieces/loading/waiting.js'
import { Failure, Hint, Warning } from '../../../pieces/notices/notice.js'
import { Page, SplitSection } from '../../../pieces/page.js'
import { Link } from '../../../pieces/router.js'
import { When } from '../../../pieces/time/when.js'
import type { Account, SecondFactorPolicy as Policy, Profile } from '../../answers.js'
import { call } from '../../api.js'
import { NameForm } from './name-form.js'
import { PendingTransfer } from './pending-transfer.js'
import { SecondFactorPolicy } from './second-factor-policy.js'

export function SettingsPage() {
  const account = useLoad(() => call<Account>('GET', 'account'))
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const policy = useLoad(() => call<Policy>('GET', 'account/second-factor'))
  const subscription = useLoad(() => call<Subscription>('GET', 'subscription'))
  const isOwner = profile.data?.role === 'owner'
  return (
    <Page title={t('settings.title')} lead={t('settings.lead')}>
      <LoadedTogether of={[account, profile, policy, subscription]}>
        <SplitSection title={t('settings.name')} about={t('settings.nameAbout')}>
          <Loaded of={account}>
            {({ name }) => (
              <NameForm
                path="account"
                label={t('settings.name')}
                name={name}
                autoComplete="organization"
                saved={t('common.nameSaved')}
              />
            )}
          </Loaded>
        </SplitSection>
        <SplitSection title={t('factor.title')} about={t('policy.about')}>
          <SecondFactorPolicy of={policy} />
        </SplitSection>
        {isOwner && (
          <>
            <SplitSection title={t('transfer.title')} about={t('transfer.about')}>
              <PendingTransfer account={account} />
            </SplitSection>
            <SplitSection title={t('deletion.title')} about={t('deletion.about')} isGrave>
              <Deletion account={account} subscription={subscription} />
            </SplitSection>
          </>
        )}
      </LoadedTogether>
    </Page>
  )
}

function Deletion({
  account,
  subscription,
}: {
  readonly account: Load<Account>
  readonly subscription: Load<Subscription>
}) {
  const keep = useAction(() => call('DELETE', 'account/deletion').then(account.reload))
  const means = (
    <p>
      <T id="deletion.means" />
    </p>
  )
  return (
    <Loaded of={account}>
      {({ deleteAt }) =>
        deleteAt ? (
          <>
            <Warning>
              <T id="deletion.allOn" date={<When at={deleteAt} />} />
            </Warning>
            <Failure error={keep.error} />
            <div className="actions">
              <ActionButton action={keep}>{t('deletion.cancel')}</ActionButton>
            </div>
          </>
        ) : subscription.data && isOpenEnded(subscription.data) ? (
          // The service would refuse it, after a proof of identity.
          <Hint>
            <T id="deletion.subscribed" link={<Link href="/account/billing" />} />
          </Hint>
        ) : (
          <>
            {means}
            <div className="actions">
              <ConfirmButton
                name={t('deletion.delete')}
                kind="danger"
                question={t('deletion.ask')}
                confirm={t('deletion.yes')}
                act={() => call('POST', 'account/deletion').then(account.reload)}
              >
                {means}
              </ConfirmButton>
            </div>
          </>
        )
      }
    </Loaded>
  )
}

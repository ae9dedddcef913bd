import { useState } from 'react'
import { ConfirmButton, RadioChoice, SelectField } from '../../../pieces/controls.js'
import { ActionButton, Field, Form, type Texts, useAction } from '../../../pieces/forms.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../../pieces/loading.js'
import { Failure, Hint, toast, Warning } from '../../../pieces/notices.js'
import { Page, SplitSection } from '../../../pieces/page.js'
import { Avatar } from '../../../pieces/people.js'
import { Link } from '../../../pieces/router.js'
import { isOpenEnded, type Subscription } from '../../../pieces/subscription.js'
import { t } from '../../../pieces/t.js'
import { breakable, T } from '../../../pieces/text.js'
import { DayIn, When } from '../../../pieces/time.js'
import { type Account, call, type SecondFactorPolicy as Policy, type Profile } from '../../api.js'
import { readOwnSubscription } from '../../checkout.js'
import { IdleTimeoutField, idleSecondsOf } from './idle-timeout.js'
import { NameForm } from './name-form.js'

export function SettingsPage() {
  const account = useLoad(() => call<Account>('GET', 'account'))
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const policy = useLoad(() => call<Policy>('GET', 'account/second-factor'))
  const subscription = useLoad(readOwnSubscription)
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
        <SplitSection title={t('idle.title')} about={t('idle.about')}>
          <IdleTimeout account={account} />
        </SplitSection>
        {isOwner && (
          <>
            <SplitSection title={t('transfer.title')} about={t('transfer.about')}>
              <PendingTransfer account={account} />
            </SplitSection>
            <SplitSection title={t('deletion.title')} about={t('deletion.about')} isGrave>
              <Deletion account={account} subscription={subscription} email={profile.data?.email ?? ''} />
            </SplitSection>
          </>
        )}
      </LoadedTogether>
    </Page>
  )
}

/** After how long without use sessions of the account end. */
function IdleTimeout({ account }: { readonly account: Load<Account> }) {
  const save = async (texts: Texts) => {
    await call('PATCH', 'account', { idleSeconds: idleSecondsOf(texts) })
    await account.reload()
    toast(t('common.saved'))
  }
  return (
    <Loaded of={account}>
      {({ idleSeconds }) => (
        <Form isEdit submit={t('idle.save')} send={save}>
          <IdleTimeoutField chosen={idleSeconds} none={t('idle.none')} hint={t('idle.hint')} />
        </Form>
      )}
    </Loaded>
  )
}

function Deletion({
  account,
  subscription,
  email,
}: {
  readonly account: Load<Account>
  readonly subscription: Load<Subscription>
  /** The owner's, which has to be typed where the account has no name. */
  readonly email: string
}) {
  const keep = useAction(() => call('DELETE', 'account/deletion').then(account.reload))
  return (
    <Loaded of={account}>
      {({ deleteAt, deletionGraceSeconds, name }) =>
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
            <DeletionMeans graceSeconds={deletionGraceSeconds} />
            <div className="actions">
              <ConfirmButton
                name={t('deletion.delete')}
                kind="danger"
                question={t('deletion.ask')}
                confirm={t('deletion.yes')}
                typed={name ?? email}
                act={() => call('POST', 'account/deletion').then(account.reload)}
              >
                <DeletionMeans graceSeconds={deletionGraceSeconds} />
                <WhatGoes />
              </ConfirmButton>
            </div>
          </>
        )
      }
    </Loaded>
  )
}

function DeletionMeans({ graceSeconds }: { readonly graceSeconds: number }) {
  return (
    <p>
      <T id="deletion.means" date={<DayIn seconds={graceSeconds} />} />
    </p>
  )
}

/** What an account loses with its deletion. */
function WhatGoes() {
  const team = useLoad(() => call<{ users: unknown[]; next: string | null }>('GET', 'team'))
  const sites = useLoad(() => call<{ satellites: unknown[] }>('GET', 'satellites'))
  return (
    <ul>
      <Loaded of={team}>
        {({ users, next }) => (
          <li>{t(next ? 'deletion.goesMany' : 'deletion.goesPeople', { count: users.length })}</li>
        )}
      </Loaded>
      <Loaded of={sites}>
        {({ satellites }) =>
          satellites.length > 0 && <li>{t('deletion.goesSatellites', { count: satellites.length })}</li>
        }
      </Loaded>
      <li>{t('deletion.stays')}</li>
    </ul>
  )
}

const covered = () => [
  { value: 'off', name: t('policy.off') },
  { value: 'payments', name: t('policy.payments') },
  {
    value: 'managers',
    name: t('policy.managers'),
    hint: t('policy.managersHint'),
  },
  { value: 'everyone', name: t('policy.everyone') },
]
/** In minutes; empty means never. Short enough to be fully readable on a phone. */
const recent = () => [
  { value: '', name: t('policy.stepUpNo') },
  { value: '5', name: t('policy.stepUp5') },
  { value: '15', name: t('policy.stepUp15') },
  { value: '60', name: t('policy.stepUp60') },
  { value: '480', name: t('policy.stepUp480') },
]
const MOST_GRACE_DAYS = 90

/** Who in the account must have a second factor, and what payments require. */
function SecondFactorPolicy({ of: policy }: { readonly of: Load<Policy> }) {
  return <Loaded of={policy}>{loaded => <PolicyForm policy={loaded} load={policy} />}</Loaded>
}

function PolicyForm({ policy, load }: { readonly policy: Policy; readonly load: Load<Policy> }) {
  const { required, paymentStepUpMinutes } = policy
  const [chosen, setChosen] = useState<string>(required)
  const save = async ({ required, graceDays, paymentStepUpMinutes }: Texts) => {
    await call('PUT', 'account/second-factor', {
      required,
      ...(graceDays && { graceDays: Number(graceDays) }),
      paymentStepUpMinutes: paymentStepUpMinutes ? Number(paymentStepUpMinutes) : null,
    })
    await load.reload()
    toast(t('common.saved'))
  }
  const isChanged = chosen !== required
  return (
    <>
      <EnrolledSoFar policy={policy} />
      <Form isEdit submit={t('common.save')} send={save}>
        <RadioChoice
          label={t('policy.who')}
          name="required"
          options={covered()}
          chosen={required}
          onChoose={setChosen}
        />
        {chosen !== 'off' && (
          <Field
            key={String(isChanged)}
            label={t('policy.days')}
            name="graceDays"
            type="number"
            inputMode="numeric"
            min={0}
            max={MOST_GRACE_DAYS}
            defaultValue={isChanged ? '14' : ''}
            hint={isChanged ? t('policy.daysHint') : t('policy.daysKeep')}
          />
        )}
        <SelectField
          label={t('policy.stepUp')}
          name="paymentStepUpMinutes"
          options={recencies(paymentStepUpMinutes)}
          chosen={String(paymentStepUpMinutes ?? '')}
          hint={t('policy.stepUpHint')}
        />
      </Form>
    </>
  )
}

function EnrolledSoFar({
  policy: { required, requiredFrom, covered, enrolled },
}: {
  readonly policy: Policy
}) {
  if (required === 'off') return null
  return (
    <p>
      {t('policy.standing', { enrolled, covered })}
      {requiredFrom && (
        <>
          {' '}
          <T
            id={new Date(requiredFrom) > new Date() ? 'policy.requiredFrom' : 'policy.requiredSince'}
            date={<When at={requiredFrom} />}
          />
        </>
      )}
    </p>
  )
}

/** Includes the current value, if it is not one of ours. */
function recencies(minutes: number | null) {
  const isKnown = recent().some(({ value }) => value === String(minutes ?? ''))
  return isKnown
    ? recent()
    : [...recent(), { value: String(minutes), name: t('policy.stepUpOther', { minutes: String(minutes) }) }]
}

/** The pending transfer, which the owner can cancel; or where to start one. */
function PendingTransfer({ account }: { readonly account: Load<Account> }) {
  const cancel = useAction(() => call('DELETE', 'account/transfer').then(account.reload))
  return (
    <Loaded of={account}>
      {({ transfer }) =>
        transfer ? (
          <>
            <NewOwner of={transfer} />
            <Hint>
              <T
                id={transfer.acceptedAt ? 'transfer.accepted' : 'transfer.asked'}
                date={<When at={transfer.acceptedAt ? transfer.readyAt : transfer.expiresAt} />}
              />
            </Hint>
            <Failure error={cancel.error} />
            <div className="actions">
              <ActionButton action={cancel}>{t('transfer.cancel')}</ActionButton>
            </div>
          </>
        ) : (
          <p>
            <T id="transfer.how" link={<Link href="/account/team" />} />
          </p>
        )
      }
    </Loaded>
  )
}

function NewOwner({ of: { userId, email, name } }: { readonly of: NonNullable<Account['transfer']> }) {
  return (
    <p className="someone">
      <Avatar name={name ?? email} />
      <span>
        <Link href={`/account/team/${userId}`}>{breakable(name ?? email)}</Link>
        {name && <small>{breakable(email)}</small>}
      </span>
    </p>
  )
}

import { ActionButton } from '../../../pieces/forms/button.js'
import { ConfirmButton } from '../../../pieces/forms/confirm-button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { Failure, Hint } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { type Load, useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import { When } from '../../../pieces/when.js'
import type { Account, Profile } from '../../answers.js'
import { call } from '../../api.js'
import { NameForm } from './name-form.js'
import { PendingTransfer } from './pending-transfer.js'
import { SecondFactorPolicy } from './second-factor-policy.js'

export function SettingsPage() {
  const account = useLoad(() => call<Account>('GET', 'account'))
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const isOwner = profile.data?.role === 'owner'
  return (
    <Page title="Settings">
      <Section title="Account name">
        <Loaded of={account}>
          {({ name }) => (
            <NameForm
              path="account"
              label="Account name"
              name={name}
              autoComplete="organization"
              saved="Name saved."
            />
          )}
        </Loaded>
      </Section>
      <Section title="Second factor">
        <SecondFactorPolicy />
      </Section>
      {isOwner && (
        <>
          <Section title="Transfer">
            <PendingTransfer account={account} />
          </Section>
          <Section title="Deletion">
            <Deletion account={account} />
          </Section>
        </>
      )}
    </Page>
  )
}

function Deletion({ account }: { readonly account: Load<Account> }) {
  const keep = useAction(() => call('DELETE', 'account/deletion').then(account.reload))
  return (
    <Loaded of={account}>
      {({ deleteAt }) =>
        deleteAt ? (
          <>
            <Hint>
              The account and all its users will be deleted on <When at={deleteAt} />.
            </Hint>
            <Failure error={keep.error} />
            <div className="actions">
              <ActionButton action={keep}>Cancel the deletion</ActionButton>
            </div>
          </>
        ) : (
          <>
            <p>Deletes the account and all its users. You have some days to change your mind.</p>
            <div className="actions">
              <ConfirmButton
                name="Delete the account"
                question="Delete this account?"
                confirm="Yes, delete it"
                act={() => call('POST', 'account/deletion').then(account.reload)}
              >
                <p>
                  Everything works as usual for some days; after that nobody can log in. We will mail you the
                  date.
                </p>
              </ConfirmButton>
            </div>
          </>
        )
      }
    </Loaded>
  )
}

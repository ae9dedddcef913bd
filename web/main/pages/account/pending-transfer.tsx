import { ActionButton } from '../../../pieces/forms/button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { Failure, Hint } from '../../../pieces/notice.js'
import { Link } from '../../../pieces/router.js'
import type { Load } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import { When } from '../../../pieces/when.js'
import type { Account } from '../../answers.js'
import { call } from '../../api.js'

/** The transfer that is under way, for the owner to cancel; or where to begin one. */
export function PendingTransfer({ account }: { readonly account: Load<Account> }) {
  const cancel = useAction(() => call('DELETE', 'account/transfer').then(account.reload))
  return (
    <Loaded of={account}>
      {({ transfer }) =>
        transfer ? (
          <>
            <Hint>
              <Link href={`/account/team/${transfer.userId}`}>A member of your team</Link>{' '}
              {transfer.acceptedAt ? (
                <>
                  has accepted and becomes the owner on <When at={transfer.readyAt} /> at the earliest.
                </>
              ) : (
                <>
                  has until <When at={transfer.expiresAt} /> to accept.
                </>
              )}
            </Hint>
            <Failure error={cancel.error} />
            <div className="actions">
              <ActionButton action={cancel}>Cancel the transfer</ActionButton>
            </div>
          </>
        ) : (
          <p>
            To transfer the account, open a member’s page in your <Link href="/account/team">team</Link>.
          </p>
        )
      }
    </Loaded>
  )
}

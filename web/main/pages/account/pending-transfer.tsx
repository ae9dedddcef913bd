import { ActionButton } from '../../../pieces/forms/button.js'
import { useAction } from '../../../pieces/forms/use-action.js'
import { breakable } from '../../../pieces/language/breakable.js'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import type { Load } from '../../../pieces/loading/use-load.js'
import { Loaded } from '../../../pieces/loading/waiting.js'
import { Failure, Hint } from '../../../pieces/notices/notice.js'
import { Avatar } from '../../../pieces/people/avatar.js'
import { Link } from '../../../pieces/router.js'
import { When } from '../../../pieces/time/when.js'
import type { Account } from '../../answers.js'
import { call } from '../../api.js'

/** The pending transfer, which the owner can cancel; or where to start one. */
export function PendingTransfer({ account }: { readonly account: Load<Account> }) {
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

import { useState } from 'react'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { Failure, Success } from '../../../../pieces/notice.js'
import { PERMISSION_NAMES, PERMISSIONS } from '../../../../pieces/permission-names.js'
import { hostOf } from '../../../../pieces/site.js'
import { When } from '../../../../pieces/when.js'
import type { Invitation } from '../../../answers.js'
import { call } from '../../../api.js'

/** Somebody who is invited, to what, and what can be done about it. */
export function OpenInvitation({
  invitation: { id, email, expiresAt, permissions, satellites },
  reload,
}: {
  readonly invitation: Invitation
  readonly reload: () => Promise<void>
}) {
  const [isSent, setIsSent] = useState(false)
  const withdraw = useAction(() => call('DELETE', `team/invitations/${id}`).then(reload))
  const resend = useAction(async () => {
    setIsSent(false)
    await call('POST', `team/invitations/${id}/resend`)
    setIsSent(true)
    await reload()
  })
  const rights = PERMISSIONS.filter(name => permissions[name]).map(name => PERMISSION_NAMES[name])
  return (
    <li>
      <div>
        {email}
        <small>
          {rights.join(', ') || 'No permissions'} ·{' '}
          {satellites ? satellites.map(hostOf).join(', ') || 'no site' : 'everywhere'}
        </small>
        <small>
          valid until <When at={expiresAt} />
        </small>
        {isSent && <Success>Sent again. The previous link no longer works.</Success>}
        <Failure error={withdraw.error ?? resend.error} />
      </div>
      <span className="tags">
        <ActionButton action={resend} label={`Send the invitation to ${email} again`}>
          Send again
        </ActionButton>
        <ActionButton action={withdraw} label={`Withdraw the invitation to ${email}`}>
          Withdraw
        </ActionButton>
      </span>
    </li>
  )
}

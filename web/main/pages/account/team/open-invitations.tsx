import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { Failure } from '../../../../pieces/notice.js'
import { Section } from '../../../../pieces/page.js'
import { toast } from '../../../../pieces/toasts.js'
import type { Load } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { When } from '../../../../pieces/when.js'
import type { Invitation } from '../../../answers.js'
import { call } from '../../../api.js'
import { PermissionChips, Sites } from './people-table.js'

/** Who is invited, to what, and what can be done about it. */
export function OpenInvitations({ open }: { readonly open: Load<{ invitations: Invitation[] }> }) {
  const changed = async (text: string) => {
    toast(text)
    await open.reload()
  }
  return (
    <Section title="Open invitations">
      <Loaded of={open} shape="rows">
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p className="absent">There are no open invitations.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  <th>E-mail</th>
                  <th>Permissions</th>
                  <th>Sites</th>
                  <th>Valid until</th>
                  <th>
                    <span className="unseen">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {invitations.map(invitation => (
                  <Row key={invitation.email} invitation={invitation} changed={changed} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Section>
  )
}

function Row({
  invitation: { id, email, expiresAt, permissions, satellites },
  changed,
}: {
  readonly invitation: Invitation
  readonly changed: (news: string) => Promise<void>
}) {
  const path = `team/invitations/${id}`
  const withdraw = useAction(async () => {
    await call('DELETE', path)
    await changed(`The invitation to ${email} is withdrawn.`)
  })
  const resend = useAction(async () => {
    await call('POST', `${path}/resend`)
    await changed(`Sent again to ${email}. The previous link no longer works.`)
  })
  return (
    <tr>
      <td data-name="E-mail">{email}</td>
      <td data-name="Permissions">
        <PermissionChips permissions={permissions} />
      </td>
      <td data-name="Sites">
        <Sites satellites={satellites} />
      </td>
      <td data-name="Valid until">
        <When at={expiresAt} />
      </td>
      <td className="whole">
        <span className="tags">
          <ActionButton action={resend} label={`Send the invitation to ${email} again`}>
            Send again
          </ActionButton>
          <ActionButton action={withdraw} label={`Withdraw the invitation to ${email}`}>
            Withdraw
          </ActionButton>
        </span>
        <Failure error={withdraw.error ?? resend.error} />
      </td>
    </tr>
  )
}

import { Empty } from '../../../../pieces/empty.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import type { Load } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { Failure } from '../../../../pieces/notices/notice.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { Section } from '../../../../pieces/page.js'
import { When } from '../../../../pieces/time/when.js'
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
    <Section title={t('invitations.title')}>
      <Loaded of={open} shape="rows">
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Empty icon="mail">{t('invitations.none')}</Empty>
          ) : (
            <table>
              <thead>
                <tr>
                  <th>{t('field.email')}</th>
                  <th>{t('permission.title')}</th>
                  <th>{t('team.sites')}</th>
                  <th>{t('invitations.until')}</th>
                  <th>
                    <span className="unseen">{t('invitations.actions')}</span>
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
    await changed(t('invitations.withdrawn', { email }))
  })
  const resend = useAction(async () => {
    await call('POST', `${path}/resend`)
    await changed(t('invitations.sentAgain', { email }))
  })
  return (
    <tr>
      <td data-name={t('field.email')}>{email}</td>
      <td data-name={t('permission.title')}>
        <PermissionChips permissions={permissions} />
      </td>
      <td data-name={t('team.sites')}>
        <Sites satellites={satellites} />
      </td>
      <td className="when" data-name={t('invitations.until')}>
        <When at={expiresAt} />
      </td>
      <td className="whole">
        <span className="tags">
          <ActionButton action={resend} label={t('invitations.resendNamed', { email })}>
            {t('invitations.resend')}
          </ActionButton>
          <ActionButton action={withdraw} label={t('invitations.withdrawNamed', { email })}>
            {t('invitations.withdraw')}
          </ActionButton>
        </span>
        <Failure error={withdraw.error ?? resend.error} />
      </td>
    </tr>
  )
}

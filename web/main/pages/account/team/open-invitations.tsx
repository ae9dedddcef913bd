import { Badge, Empty } from '../../../../pieces/empty.js'
import { ActionButton } from '../../../../pieces/forms/button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { breakable } from '../../../../pieces/language/breakable.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
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
            <ul className="rows">
              {invitations.map(invitation => (
                <Row key={invitation.email} invitation={invitation} changed={changed} />
              ))}
            </ul>
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
    <li>
      <div className="with-badge">
        <Badge icon="mail" />
        <div>
          <strong>{breakable(email)}</strong>
          <small>
            <T id="invitations.until" date={<When at={expiresAt} />} />
          </small>
          <small>
            <Sites satellites={satellites} />
          </small>
          <PermissionChips permissions={permissions} />
        </div>
      </div>
      <span className="tags">
        <ActionButton action={resend} label={t('invitations.resendNamed', { email })}>
          {t('invitations.resend')}
        </ActionButton>
        <ActionButton action={withdraw} label={t('invitations.withdrawNamed', { email })}>
          {t('invitations.withdraw')}
        </ActionButton>
      </span>
      <Failure error={withdraw.error ?? resend.error} />
    </li>
  )
}

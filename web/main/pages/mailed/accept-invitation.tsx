import { Field } from '../../../pieces/forms/field.js'
import { NewPasswordField } from '../../../pieces/forms/password/password-fields.js'
import { breakable } from '../../../pieces/language/breakable.js'
import { locale, t } from '../../../pieces/language/t.js'
import { hostOf } from '../../../pieces/site/site.js'
import type { LoginSites } from '../../answers.js'
import { MailedPage } from './mailed-page.js'
import { ToSites } from './reset-password.js'

export function AcceptInvitationPage() {
  return (
    <MailedPage<LoginSites>
      title={t('invited.title')}
      path="invitations/accept"
      submit={t('invited.submit')}
      doneTitle={t('invited.doneTitle')}
      done={t('invited.done')}
      next={({ satellites }) => <ToSites origins={satellites} />}
      anew={<p>{t('invited.anew')}</p>}
    >
      {link => (
        <>
          <p>
            {breakable(link?.invitedBy ? t('invited.by', { inviter: link.invitedBy }) : t('invited.about'))}
            {link?.satellites?.[0] && (
              <> {breakable(t('invited.sites', { sites: listOf(link.satellites) }))}</>
            )}
          </p>
          <Field label={t('field.nameOptional')} name="name" autoComplete="name" maxLength={100} />
          <NewPasswordField person={link && { email: link.email, name: null }} />
        </>
      )}
    </MailedPage>
  )
}

function listOf(origins: readonly string[]): string {
  return new Intl.ListFormat(locale()).format(origins.map(hostOf))
}

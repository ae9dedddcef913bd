import { Field } from '../../../pieces/forms/field.js'
import { NewPasswordField } from '../../../pieces/forms/password/password-fields.js'
import { t } from '../../../pieces/language/t.js'
import type { LoginSites } from '../../answers.js'
import { MailedPage } from './mailed-page.js'
import { ToSites } from './reset-password.js'

export function AcceptInvitationPage() {
  return (
    <MailedPage<LoginSites>
      title={t('invited.title')}
      path="invitations/accept"
      submit={t('invited.submit')}
      done={t('invited.done')}
      next={({ satellites }) => <ToSites origins={satellites} />}
      anew={t('invited.anew')}
    >
      <p>{t('invited.about')}</p>
      <Field label={t('field.nameOptional')} name="name" autoComplete="name" maxLength={100} />
      <NewPasswordField />
    </MailedPage>
  )
}

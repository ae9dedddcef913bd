import { Field } from '../../../pieces/forms/field.js'
import { NewPasswordField } from '../../../pieces/forms/password-fields.js'
import type { LoginSites } from '../../answers.js'
import { MailedPage } from './mailed-page.js'
import { ToSites } from './reset-password.js'

export function AcceptInvitationPage() {
  return (
    <MailedPage<LoginSites>
      title="Join the team"
      path="invitations/accept"
      submit="Join"
      done="Welcome. You can log in now with your e-mail address and this password."
      next={({ satellites }) => <ToSites origins={satellites} />}
      anew="Ask the person who invited you to send the invitation again."
    >
      <p>You have been invited. Choose a password to join.</p>
      <Field label="Name (optional)" name="name" autoComplete="name" maxLength={100} />
      <NewPasswordField />
    </MailedPage>
  )
}

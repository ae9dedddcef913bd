import { Field, NewPasswordField } from '../../../pieces/field.js'
import { MailedPage } from './mailed-page.js'

export function AcceptInvitationPage() {
  return (
    <MailedPage
      title="Join the team"
      path="invitations/accept"
      submit="Join"
      done="Welcome. You can log in now with your e-mail address and this password."
    >
      <p>You have been invited. Choose a password to join.</p>
      <Field label="Name (optional)" name="name" autoComplete="name" maxLength={100} />
      <NewPasswordField />
    </MailedPage>
  )
}

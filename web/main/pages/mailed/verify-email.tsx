import { PasswordField } from '../../../pieces/field.js'
import { MailedPage } from './mailed-page.js'

export function VerifyEmailPage() {
  return (
    <MailedPage
      title="Confirm your e-mail address"
      path="signup/verify"
      submit="Confirm"
      messages={{ INVALID_CREDENTIALS: 'This is not the password that you chose when you signed up.' }}
      done="Your account is ready. You can log in now."
    >
      <p>Give the password that you chose when you signed up. It shows that it was you.</p>
      <PasswordField />
    </MailedPage>
  )
}

import { NewPasswordField } from '../../../pieces/field.js'
import { MailedPage } from './mailed-page.js'

export function ResetPasswordPage() {
  return (
    <MailedPage
      title="Choose a new password"
      path="password/reset"
      submit="Set the new password"
      done="Your new password is set. You have been logged out everywhere; log in with it now."
    >
      <NewPasswordField label="New password" />
    </MailedPage>
  )
}

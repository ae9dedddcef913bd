import type { Texts } from '../../../pieces/forms/form.js'
import { PasswordField } from '../../../pieces/forms/password-fields.js'
import { go, Link } from '../../../pieces/router.js'
import { toast } from '../../../pieces/toasts.js'
import { client } from '../../client.js'
import { takeSignup } from '../../signup-memory.js'
import { MailedPage } from './mailed-page.js'

export function VerifyEmailPage() {
  return (
    <MailedPage
      title="Confirm your e-mail address"
      path="signup/verify"
      submit="Confirm"
      messages={{ INVALID_CREDENTIALS: 'Wrong password. Enter the one that you chose when you signed up.' }}
      done="Your account is ready. You can log in now."
      finish={logIn}
      anew={<Link href="/signup">Sign up again</Link>}
    >
      <p>Enter the password that you chose when you signed up, to show that it was you.</p>
      <PasswordField />
    </MailedPage>
  )
}

/** In the browser of the sign-up the address is known, and the password was given a moment ago. */
async function logIn({ password = '' }: Texts): Promise<void> {
  const pending = takeSignup()
  if (!pending) return
  await client.login({ email: pending.email, password })
  toast('Your account is ready.')
  go(pending.next, { replace: true })
}

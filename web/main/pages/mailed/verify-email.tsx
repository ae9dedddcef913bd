import type { Texts } from '../../../pieces/forms/form.js'
import { PasswordField } from '../../../pieces/forms/password/password-fields.js'
import { t } from '../../../pieces/language/t.js'
import { toast } from '../../../pieces/notices/toasts.js'
import { go, watchPage } from '../../../pieces/router.js'
import { WayOn } from '../../../pieces/way-on.js'
import { client } from '../../client.js'
import { forgetSignup, pendingSignup } from '../../signup-memory.js'
import { MailedPage } from './mailed-page.js'

export function VerifyEmailPage() {
  return (
    <MailedPage
      title={t('verifyEmail.title')}
      path="signup/verify"
      submit={t('common.confirm')}
      messages={{ INVALID_CREDENTIALS: t('verifyEmail.wrongPassword') }}
      doneTitle={t('verifyEmail.doneTitle')}
      done={t('verifyEmail.done')}
      finish={logIn}
      anew={<WayOn href="/signup">{t('verifyEmail.anew')}</WayOn>}
    >
      <p>{t('verifyEmail.about')}</p>
      <PasswordField />
    </MailedPage>
  )
}

/** In the browser of the sign-up the address is known, and the password was entered a moment ago. */
async function logIn({ password = '' }: Texts): Promise<void> {
  const pending = pendingSignup()
  if (!pending) return
  const isStillHere = watchPage()
  await client.login({ email: pending.email, password })
  forgetSignup()
  toast(t('verifyEmail.ready'))
  if (isStillHere()) go(pending.next, { replace: true })
}

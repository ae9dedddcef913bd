import { useState } from 'react'
import { EmailField } from '../../pieces/forms/field.js'
import { t } from '../../pieces/language/t.js'
import { SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { callAsAnybody } from '../api.js'
import { useLoginAddress } from '../forgot-link.js'
import { MailForm } from '../mail-form.js'
import { rememberEmail, typedEmail } from '../typed-email.js'

export function ForgotPasswordPage() {
  const [isSent, setIsSent] = useState(false)
  const login = useLoginAddress()
  return (
    <SmallPage title={t(isSent ? 'mailForm.title' : 'login.forgot')} lead={!isSent && t('forgot.about')}>
      <MailForm
        submit={t('forgot.submit')}
        said={sentTo => t('forgot.sent', { sentTo })}
        send={({ email = '' }) => callAsAnybody('password/forgot', { email })}
        isSent={isSent}
        setIsSent={setIsSent}
      >
        {() => (
          <EmailField
            defaultValue={typedEmail()}
            onChange={event => rememberEmail(event.target.value)}
            autoFocus
          />
        )}
      </MailForm>
      <p className="links">
        <Link href={login}>{t('forgot.back')}</Link>
      </p>
    </SmallPage>
  )
}

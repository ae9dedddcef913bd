import { useState } from 'react'
import { EmailField } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { t } from '../../pieces/language/t.js'
import { Success } from '../../pieces/notices/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { callAsAnybody } from '../api.js'
import { useLoginAddress } from '../forgot-link.js'
import { rememberEmail, typedEmail } from '../typed-email.js'

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState('')
  const login = useLoginAddress()
  return (
    <SmallPage title={t('login.forgot')} lead={!sentTo && t('forgot.about')}>
      {sentTo ? (
        <Success>{t('forgot.sent', { sentTo })}</Success>
      ) : (
        <Form
          submit={t('forgot.submit')}
          send={({ email = '' }) => callAsAnybody('password/forgot', { email }).then(() => setSentTo(email))}
        >
          <EmailField
            defaultValue={typedEmail()}
            onChange={event => rememberEmail(event.target.value)}
            autoFocus
          />
        </Form>
      )}
      <p className="links">
        <Link href={login}>{t('forgot.back')}</Link>
      </p>
    </SmallPage>
  )
}

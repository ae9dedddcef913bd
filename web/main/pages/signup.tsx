import { useState } from 'react'
import { EmailField, Field, type Texts } from '../../pieces/forms.js'
import { SmallPage } from '../../pieces/page.js'
import { NewPasswordField } from '../../pieces/password.js'
import { Link, usePlace } from '../../pieces/router.js'
import { t } from '../../pieces/t.js'
import { callAsAnybody } from '../api.js'
import { afterSignup, rememberEmail, rememberErrand, typedEmail } from '../between-pages.js'
import { MailForm } from '../mail-form.js'
import { ReturnHint } from './login.js'

export function SignupPage() {
  const next = afterSignup(usePlace().query.get('next'))
  const [isSent, setIsSent] = useState(false)
  const signUp = async ({ email = '', password = '', name }: Texts) => {
    await callAsAnybody('signup', { email, password, ...(name?.trim() && { name: name.trim() }) })
    rememberErrand('signup', next)
  }
  return (
    <SmallPage title={t(isSent ? 'mailForm.title' : 'signup.title')}>
      <MailForm
        submit={t('signup.title')}
        said={sentTo => t('signup.sent', { sentTo })}
        send={signUp}
        isSent={isSent}
        setIsSent={setIsSent}
      >
        {({ name, email, password }) => (
          <>
            <ReturnHint to={next} />
            <Field
              label={t('field.nameOptional')}
              name="name"
              autoComplete="name"
              maxLength={100}
              defaultValue={name}
              autoFocus={!email}
            />
            <EmailField
              defaultValue={typedEmail()}
              onChange={event => rememberEmail(event.target.value)}
              autoFocus={!!email}
            />
            <NewPasswordField defaultValue={password} />
          </>
        )}
      </MailForm>
      <p className="links">
        <Link href={next === '/account' ? '/login' : next}>{t('signup.logIn')}</Link>
      </p>
    </SmallPage>
  )
}

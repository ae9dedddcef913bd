import { useState } from 'react'
import { EmailField, Field } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { NewPasswordField } from '../../pieces/forms/password/password-fields.js'
import { t } from '../../pieces/language/t.js'
import { Success } from '../../pieces/notices/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link, usePlace } from '../../pieces/router.js'
import { callAsAnybody } from '../api.js'
import { afterSignup } from '../next.js'
import { rememberSignup } from '../signup-memory.js'
import { rememberEmail, typedEmail } from '../typed-email.js'
import { ReturnHint } from './return-hint.js'

export function SignupPage() {
  const next = afterSignup(usePlace().query.get('next'))
  const [sentTo, setSentTo] = useState('')
  const signUp = async ({ email = '', password = '', name }: Readonly<Record<string, string>>) => {
    await callAsAnybody('signup', { email, password, ...(name?.trim() && { name: name.trim() }) })
    rememberSignup(email, next)
    setSentTo(email)
  }
  return (
    <SmallPage title={t('signup.title')}>
      {sentTo ? (
        <Success>{t('signup.sent', { sentTo })}</Success>
      ) : (
        <Form submit={t('signup.title')} send={signUp}>
          <ReturnHint to={next} />
          <Field label={t('field.nameOptional')} name="name" autoComplete="name" maxLength={100} autoFocus />
          <EmailField defaultValue={typedEmail()} onChange={event => rememberEmail(event.target.value)} />
          <NewPasswordField />
        </Form>
      )}
      <p className="links">
        <Link href={next === '/account' ? '/login' : next}>{t('signup.logIn')}</Link>
      </p>
    </SmallPage>
  )
}

import { useState } from 'react'
import { EmailField, Field } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { NewPasswordField } from '../../pieces/forms/password-fields.js'
import { Success } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { Link, usePlace } from '../../pieces/router.js'
import { callAsAnybody } from '../api.js'
import { rememberSignup, safeNext } from '../signup-memory.js'
import { rememberEmail, typedEmail } from '../typed-email.js'
import { ReturnHint } from './return-hint.js'

export function SignupPage() {
  const next = safeNext(usePlace().query.get('next'))
  const [sentTo, setSentTo] = useState('')
  const signUp = async ({ email = '', password = '', name }: Readonly<Record<string, string>>) => {
    await callAsAnybody('signup', { email, password, ...(name?.trim() && { name: name.trim() }) })
    rememberSignup(email, next)
    setSentTo(email)
  }
  return (
    <SmallPage title="Sign up">
      {sentTo ? (
        <Success>
          We have sent a mail to {sentTo}. Follow the link in it to finish; you will need your password once
          more.
        </Success>
      ) : (
        <Form submit="Sign up" send={signUp}>
          <ReturnHint to={next} />
          <Field label="Name (optional)" name="name" autoComplete="name" maxLength={100} autoFocus />
          <EmailField defaultValue={typedEmail()} onChange={event => rememberEmail(event.target.value)} />
          <NewPasswordField />
        </Form>
      )}
      <p className="links">
        <Link href={next === '/account' ? '/login' : next}>Log in instead</Link>
      </p>
    </SmallPage>
  )
}

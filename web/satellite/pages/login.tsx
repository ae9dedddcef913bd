import { type ReactNode, useState } from 'react'
import { EmailField, PasswordField } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { SmallPage } from '../../pieces/page.js'
import { hostOf, site } from '../../pieces/site.js'
import { client } from '../client.js'
import { ThroughMain } from './through-main.js'

const MAIN = hostOf(site.mainUrl)
const MESSAGES = {
  HANDOFF_REQUIRED: `Passwords are not accepted here. Please use “Log in with ${MAIN}”.`,
}

/** Both ways in: through the main site, where this page never sees the password, or with the password here. */
export function LoginPage({ news }: { readonly news: ReactNode }) {
  const [email, setEmail] = useState('')
  return (
    <SmallPage title="Log in">
      {news}
      <ThroughMain loginHint={email} />
      <p className="or">or with your password</p>
      <Form
        submit="Log in"
        kind="plain"
        messages={MESSAGES}
        send={({ email = '', password = '' }) => client.login({ email, password })}
      >
        <EmailField onChange={event => setEmail(event.target.value)} />
        <PasswordField />
      </Form>
      <p className="links">
        <a href={`${site.mainUrl}/forgot-password`}>Forgot your password?</a>
        <a href={`${site.mainUrl}/`}>Go to {MAIN}</a>
      </p>
    </SmallPage>
  )
}

import { type ReactNode, useState } from 'react'
import { LoginSteps } from '../../pieces/login/login-steps.js'
import { SmallPage } from '../../pieces/page.js'
import { hostOf, site } from '../../pieces/site.js'
import { client } from '../client.js'
import { ThroughMain } from './through-main.js'

const MAIN = hostOf(site.mainUrl)
const MESSAGES = {
  HANDOFF_REQUIRED: `You cannot log in here with your password. Please use “Log in with ${MAIN}”.`,
}

/** Both ways in: through the main site, where this page never sees the password, or with the password here. */
export function LoginPage({ news }: { readonly news: ReactNode }) {
  const [email, setEmail] = useState('')
  return (
    <SmallPage title="Log in">
      {news}
      <ThroughMain loginHint={email} />
      <p className="or">or with your password</p>
      <LoginSteps client={client} kind="plain" messages={MESSAGES} onEmail={setEmail} />
      <p className="links">
        <a href={`${site.mainUrl}/forgot-password`}>Forgot your password?</a>
        <a href={`${site.mainUrl}/`}>Go to {MAIN}</a>
      </p>
    </SmallPage>
  )
}

import { type ReactNode, useState } from 'react'
import { t } from '../../pieces/language/t.js'
import { LoginSteps } from '../../pieces/login/login-steps.js'
import { hostOf, site } from '../../pieces/site/site.js'
import { client } from '../client.js'
import { ThroughMain } from './through-main.js'

const MAIN = hostOf(site.mainUrl)
const messages = () => ({
  HANDOFF_REQUIRED: t('satellite.useMain', { main: MAIN }),
})

/** Both ways in: through the main site, where this page never sees the password, or with the password here. */
export function LoginPage({ news }: { readonly news: ReactNode }) {
  const [email, setEmail] = useState('')
  return (
    <LoginSteps
      client={client}
      kind="plain"
      messages={messages()}
      onEmail={setEmail}
      forgot={<ForgotLink />}
      above={
        <>
          {news}
          <ThroughMain loginHint={email} />
          <p className="or">{t('satellite.orPassword')}</p>
        </>
      }
    >
      <a href={`${site.mainUrl}/`}>{t('common.goToMain', { main: MAIN })}</a>
    </LoginSteps>
  )
}

function ForgotLink() {
  return (
    <a href={`${site.mainUrl}/forgot-password`} className="field-link">
      {t('login.forgot')}
    </a>
  )
}

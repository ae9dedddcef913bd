import { type ReactNode, useState } from 'react'
import { t } from '../../pieces/language/t.js'
import { LoginSteps } from '../../pieces/login/login-steps.js'
import { SmallPage } from '../../pieces/page.js'
import { Link, usePlace } from '../../pieces/router.js'
import { site } from '../../pieces/site/site.js'
import { client } from '../client.js'
import { ForgotLink } from '../forgot-link.js'
import { rememberEmail, typedEmail } from '../typed-email.js'
import { ReturnHint } from './return-hint.js'

/** Replaces a page that needs a login; after logging in, people continue there. */
export function LoginPage({ news }: { readonly news: ReactNode }) {
  const { path, query } = usePlace()
  const here = query.size > 0 ? `${path}?${query}` : path
  const [isSecond, setIsSecond] = useState(false)
  const isToSubscribe = path === '/subscribe'
  return (
    <SmallPage
      title={t(isSecond ? 'reauth.title' : 'login.title')}
      lead={!isSecond && t('login.lead', { site: site.name })}
    >
      {!isSecond && news}
      <LoginSteps
        client={client}
        loginHint={typedEmail()}
        onEmail={rememberEmail}
        onStep={setIsSecond}
        forgot={<ForgotLink />}
      >
        <ReturnHint to={here} />
      </LoginSteps>
      {!isSecond && (
        <p className="links">
          <Link href={isToSubscribe ? `/signup?next=${encodeURIComponent(here)}` : '/signup'}>
            {t('login.signUp')}
          </Link>
        </p>
      )}
    </SmallPage>
  )
}

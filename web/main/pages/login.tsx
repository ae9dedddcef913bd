import type { ReactNode } from 'react'
import { t } from '../../pieces/language/t.js'
import { LoginSteps } from '../../pieces/login/login-steps.js'
import { Link, usePlace } from '../../pieces/router.js'
import { site } from '../../pieces/site/site.js'
import { client } from '../client.js'
import { ForgotLink } from '../forgot-link.js'
import { rememberEmail, typedEmail } from '../typed-email.js'
import { ReturnHint } from './return-hint.js'

/** Replaces a page that needs a login; after logging in, people continue there. */
export function LoginPage({ news }: { readonly news: ReactNode }) {
  const { path, href } = usePlace()
  const isToSubscribe = path === '/subscribe'
  return (
    <LoginSteps
      client={client}
      lead={t('login.lead', { site: site.name })}
      loginHint={typedEmail()}
      onEmail={rememberEmail}
      forgot={<ForgotLink />}
      above={
        <>
          {news}
          <ReturnHint to={href} />
        </>
      }
      below={
        <p className="links">
          <Link href={isToSubscribe ? `/signup?next=${encodeURIComponent(href)}` : '/signup'}>
            {t('login.signUp')}
          </Link>
        </p>
      }
    />
  )
}

import { type ReactNode, useState } from 'react'
import { EmailField, type Texts } from '../../pieces/forms.js'
import { useLoad } from '../../pieces/loading.js'
import { LoginSteps } from '../../pieces/login.js'
import { Hint } from '../../pieces/notices.js'
import { SmallPage } from '../../pieces/page.js'
import { Link, usePlace } from '../../pieces/router.js'
import { site } from '../../pieces/site.js'
import { t } from '../../pieces/t.js'
import { callAsAnybody } from '../api.js'
import { isLogin, rememberEmail, rememberErrand, typedEmail } from '../between-pages.js'
import { client } from '../client.js'
import { MailForm } from '../mail-form.js'
import { anyReturn } from '../return-url.js'

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

/** For people who came to subscribe and must log in or sign up first: what this is for, and where it leads. */
export function ReturnHint({ to }: { readonly to: string }) {
  const isToSubscribe = to.startsWith('/subscribe')
  const requested = isToSubscribe ? new URL(to, location.origin).searchParams.get('return') : null
  const site = useLoad(() => anyReturn(requested), requested ?? '').data?.site
  if (!isToSubscribe) return null
  return (
    <Hint>
      {t('subscribe.accountNeeded', { host: location.host })}
      {site && ` ${t('subscribe.afterwards', { host: site })}`}
    </Hint>
  )
}

/** Shown beside the password field; the page it leads to can lead back here. */
export function ForgotLink() {
  const { href } = usePlace()
  const next = isLogin(href) ? `#next=${encodeURIComponent(href)}` : ''
  return (
    <Link href={`/forgot-password${next}`} className="field-link">
      {t('login.forgot')}
    </Link>
  )
}

/** The address of the login that led here; any other, which is untrusted, leads to the usual one. */
function useLoginAddress(): string {
  const next = new URLSearchParams(usePlace().hash.slice(1)).get('next') ?? ''
  return isLogin(next) ? next : '/login'
}

export function ForgotPasswordPage() {
  const [isSent, setIsSent] = useState(false)
  const login = useLoginAddress()
  const send = async ({ email = '' }: Texts) => {
    await callAsAnybody('password/forgot', { email })
    rememberErrand('reset', login)
  }
  return (
    <SmallPage title={t(isSent ? 'mailForm.title' : 'login.forgot')} lead={!isSent && t('forgot.about')}>
      <MailForm
        submit={t('forgot.submit')}
        said={sentTo => t('forgot.sent', { sentTo })}
        send={send}
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

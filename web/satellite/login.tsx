import type { HandOffRefusal, HandOffResult } from '@mainstay-auth/client/handoff'
import { type ReactNode, useState } from 'react'
import { useEffect } from '../pieces/activity.js'
import { ActionButton, useAction } from '../pieces/forms.js'
import { Waiting } from '../pieces/loading.js'
import { LoginSteps } from '../pieces/login.js'
import { Failure, Warning } from '../pieces/notices.js'
import { SmallPage } from '../pieces/page.js'
import { go, Link, untilLeft } from '../pieces/router.js'
import { mainName, site } from '../pieces/site.js'
import { t } from '../pieces/t.js'
import { client, completeHandOff, loginThroughMain } from './client.js'

const MAIN = mainName()
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

/** Leaves for the main site to log in there. */
function ThroughMain({
  name = t('satellite.logInWith', { main: MAIN }),
  loginHint,
  path,
}: {
  readonly name?: string
  readonly loginHint?: string
  /** Where to continue afterwards; here, by default. */
  readonly path?: string
}) {
  const action = useAction(async () => {
    await loginThroughMain({ loginHint, path })
    await untilLeft()
  })
  const isLocked = action.error instanceof DOMException
  return (
    <>
      {isLocked ? <Warning>{t('satellite.allowStorage')}</Warning> : <Failure error={action.error} />}
      <div className="actions">
        <ActionButton kind="primary" action={action}>
          {name}
        </ActionButton>
      </div>
    </>
  )
}

const reasons = (): Readonly<Record<HandOffRefusal, string>> => ({
  login_required: t('callback.loginRequired', { main: MAIN }),
  access_denied: t('callback.accessDenied', { main: MAIN }),
  not_invited: t('callback.notInvited'),
  suspended: t('callback.suspended'),
  interrupted: t('callback.interrupted'),
  expired: t('callback.expired'),
})

/**
 * Where the main site sends people back to. It never redirects: what comes next is shown here, or waits for a
 * click.
 */
export function CallbackPage() {
  const [result, setResult] = useState<HandOffResult | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    completeHandOff().then(found => {
      // After a reload: it is over, one way or the other.
      if (!found || found.status === 'loggedIn') go(pathAfter(found), { replace: true })
      else setResult(found)
    }, setError)
  }, [])
  if (!result && !error)
    return (
      <SmallPage title={t('login.title')}>
        <Waiting what={t('callback.waiting')} />
      </SmallPage>
    )
  return (
    <SmallPage title={t('callback.title')}>
      {result?.status === 'refused' && <Warning isAnswer>{reasons()[result.reason]}</Warning>}
      <Failure error={error} />
      <ThroughMain name={t('callback.again', { main: MAIN })} path={pathAfter(result)} />
      <p className="links">
        <Link href="/">{t('satellite.toStart')}</Link>
      </p>
    </SmallPage>
  )
}

/** Never this page again. */
function pathAfter(result: HandOffResult | null): string {
  return result && !result.path.startsWith('/handoff-callback') ? result.path : '/'
}

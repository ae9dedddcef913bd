import type { HandOffRefusal, HandOffResult } from '@mainstay-auth/client/handoff'
import { useEffect, useState } from 'react'
import { t } from '../../pieces/language/t.js'
import { Waiting } from '../../pieces/loading/waiting.js'
import { Failure, Warning } from '../../pieces/notices/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { go, Link } from '../../pieces/router.js'
import { hostOf, site } from '../../pieces/site/site.js'
import { completeHandOff } from '../client.js'
import { ThroughMain } from './through-main.js'

const MAIN = hostOf(site.mainUrl)

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

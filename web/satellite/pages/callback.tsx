import type { HandOffRefusal, HandOffResult } from '@mainstay-auth/client/handoff'
import { useEffect, useState } from 'react'
import { Failure, Warning } from '../../pieces/notice.js'
import { SmallPage } from '../../pieces/page.js'
import { go, Link } from '../../pieces/router.js'
import { hostOf, site } from '../../pieces/site.js'
import { Waiting } from '../../pieces/waiting.js'
import { completeHandOff } from '../client.js'
import { ThroughMain } from './through-main.js'

const MAIN = hostOf(site.mainUrl)

const REASONS: Readonly<Record<HandOffRefusal, string>> = {
  login_required: `You have not logged in on ${MAIN}.`,
  access_denied: `You have turned back on ${MAIN}, or this site takes no logins from there.`,
  not_invited:
    'Your account is not invited to this site. Use another account, or ask whoever manages your team.',
  suspended: 'This site is suspended at the moment, so nobody can log in here.',
  interrupted:
    'This login was interrupted, or it was begun in another tab. If this happens again, allow this site to store data in your browser.',
  expired: 'The login took too long. Please try again.',
}

/** Where the main site sends people back to. It never leaves: what comes next is shown here, or waits for a button. */
export function CallbackPage() {
  const [result, setResult] = useState<HandOffResult | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    completeHandOff().then(found => {
      // Loaded again: it is over, one way or the other.
      if (!found || found.status === 'loggedIn') go(pathAfter(found), { replace: true })
      else setResult(found)
    }, setError)
  }, [])
  if (!result && !error)
    return (
      <SmallPage title="Log in">
        <Waiting what="Logging you in …" />
      </SmallPage>
    )
  return (
    <SmallPage title="You are not logged in">
      {result?.status === 'refused' && <Warning isAnswer>{REASONS[result.reason]}</Warning>}
      <Failure error={error} />
      <ThroughMain name={`Try again with ${MAIN}`} path={pathAfter(result)} />
      <p className="links">
        <Link href="/">Go to the start page</Link>
      </p>
    </SmallPage>
  )
}

/** Not here again. */
function pathAfter(result: HandOffResult | null): string {
  return result && !result.path.startsWith('/handoff-callback') ? result.path : '/'
}

import { type ReactNode, useEffect, useState } from 'react'
import { drawn } from '../pieces/draw.js'
import { useLoad } from '../pieces/loading/use-load.js'
import { Loaded } from '../pieces/loading/waiting.js'
import { isRefusal } from '../pieces/notices/refusal.js'
import { SmallPage } from '../pieces/page.js'
import { usePlace } from '../pieces/router.js'
import { retryNow, useOutage } from '../pieces/sessions/outage.js'
import { OutageNotice } from '../pieces/sessions/outage-banner.js'
import type { Me } from './answers.js'
import { announceEnd, ask, onEnded, tellOtherTabs } from './api.js'
import { Frame } from './frame.js'
import { t } from './language.js'
import { AccountPage } from './pages/account.js'
import { ActivityPage } from './pages/activity.js'
import { HealthPage } from './pages/health.js'
import { LoginPage } from './pages/login.js'
import { MailsPage } from './pages/mails.js'
import { NotFoundPage } from './pages/not-found.js'
import { PasskeysPage } from './pages/passkeys.js'
import { PaymentsPage } from './pages/payments.js'
import { SatellitesPage } from './pages/satellites.js'
import { SearchPage } from './pages/search.js'
import { UserPage } from './pages/user.js'
import { keepOnlyReasonsOf } from './unsent-reasons.js'

/**
 * The operator console: docs/decisions/the-console-is-a-site-of-its-own.md. Keep its paths in step with
 * src/pages/site.ts.
 */
export function App() {
  const me = useLoad(readMe)
  const outage = useOutage()
  const [hadLogin, setHadLogin] = useState(false)
  useEffect(() => {
    if (me.data) setHadLogin(true)
  }, [me.data])
  useEffect(() => onEnded(() => void me.reload()), [me.reload])
  useExpiry(me.data)
  const changed = async () => {
    tellOtherTabs()
    await me.reload()
  }
  if (isRefusal(me.error, 'SESSION_NOT_FOUND')) return <LoginPage hadLogin={hadLogin} done={changed} />
  if (!me.data)
    return (
      <>
        <OutageNotice reason={outage} tryNow={retryNow} />
        <SmallPage title={t('console.title')}>
          <Loaded of={me}>{() => null}</Loaded>
        </SmallPage>
      </>
    )
  return (
    <Frame key={me.data.id} me={me.data} left={changed}>
      <ConsolePage />
    </Frame>
  )
}

async function readMe(): Promise<Me> {
  const me = await ask<Me>('me')
  keepOnlyReasonsOf(me.id)
  return me
}

/** A browser's clock may be ahead. */
const CHECK_AT_MOST_EVERY_MS = 60_000

/** Checks again when the login ends, which nothing else may notice. */
function useExpiry(me: Me | null): void {
  useEffect(() => {
    if (!me) return undefined
    const timer = setTimeout(
      announceEnd,
      Math.max(CHECK_AT_MOST_EVERY_MS, Date.parse(me.expiresAt) - Date.now() + 1_000),
    )
    return () => clearTimeout(timer)
  }, [me])
}

const PAGES: Readonly<Record<string, () => ReactNode>> = {
  '/': SearchPage,
  '/satellites': SatellitesPage,
  '/payments': PaymentsPage,
  '/mails': MailsPage,
  '/activity': ActivityPage,
  '/health': HealthPage,
  '/passkeys': PasskeysPage,
}

function ConsolePage() {
  const { path } = usePlace()
  const [, kind, id] = /^\/(accounts|users)\/([0-9a-f-]{36})$/.exec(path) ?? []
  if (kind === 'accounts') return <AccountPage key={id} id={id as string} />
  if (kind === 'users') return <UserPage key={id} id={id as string} />
  const Found = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined
  return Found ? <Found /> : <NotFoundPage />
}

export const drawOn = drawn(() => <App />)

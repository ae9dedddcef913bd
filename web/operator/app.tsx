import { type ReactNode, useState } from 'react'
import { useEffect } from '../pieces/activity.js'
import { drawn } from '../pieces/draw.js'
import { ActionButton, useAction } from '../pieces/forms.js'
import { Loaded, useLoad } from '../pieces/loading.js'
import { Menu, RowNav, SkipLink } from '../pieces/navigation.js'
import { Failure, isRefusal, Toasts } from '../pieces/notices.js'
import { OutageNotice, retryNow, useOutage } from '../pieces/outage.js'
import { BrandLink, LanguageChoice, SmallPage, ThemeChoice } from '../pieces/page.js'
import { Avatar } from '../pieces/people.js'
import { Link, usePlace } from '../pieces/router.js'
import { site } from '../pieces/site.js'
import { announceEnd, ask, type Me, onEnded, tell, tellOtherTabs } from './api.js'
import { keepOnlyReasonsOf } from './change-button.js'
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

export const drawOn = drawn(() => <App />)

/**
 * The operator console: docs/decisions/the-console-is-a-site-of-its-own.md. Keep its paths in step with
 * src/pages/site.ts.
 */
function App() {
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
  const isThere = Object.hasOwn(PAGES, path) && (path !== '/payments' || site.takesPayments)
  const Found = isThere ? PAGES[path] : undefined
  return Found ? <Found /> : <NotFoundPage />
}

/** The frame around every page: links to the others, the operator, and a button to log out. */
export function Frame({
  me,
  left,
  children,
}: {
  readonly me: Me
  /** Called after the logout. */
  readonly left: () => Promise<void>
  readonly children: ReactNode
}) {
  const { path } = usePlace()
  const outage = useOutage()
  const logout = useAction(async () => {
    await tell('logout', {})
    await left()
  })
  return (
    <>
      <SkipLink />
      <OutageNotice reason={outage} tryNow={retryNow} />
      <header className="top">
        <BrandLink href="/" />
        <span className="tag warn">{t('console.tag')}</span>
        <RowNav
          links={linksOf().map(([href, name]) => ({
            href,
            name,
            isShown: href !== '/payments' || site.takesPayments,
            isCurrent: isWithin(path, href),
          }))}
        />
        <div className="person">
          <Menu
            className="person-button"
            button={
              <>
                <span className="unseen">{t('nav.accountMenu')}</span>
                <Avatar name={me.email} />
              </>
            }
          >
            <span className="menu-head">{me.email}</span>
            <hr />
            <Link href="/passkeys">{t('console.passkeys.title')}</Link>
            <LanguageChoice />
            <ThemeChoice />
            <hr />
            <ActionButton action={logout}>{t('common.logOut')}</ActionButton>
          </Menu>
          <Failure error={logout.error} />
        </div>
      </header>
      <main id="content" className="wide" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </>
  )
}

function linksOf() {
  return [
    ['/', t('overview.title')],
    ['/satellites', t('console.satellites.title')],
    ['/payments', t('console.payments.title')],
    ['/mails', t('console.mails.title')],
    ['/activity', t('console.activity.title')],
    ['/health', t('console.health.title')],
  ] as const
}

/** Pages of people and accounts belong to the search. */
function isWithin(path: string, href: string): boolean {
  return path === href || (href === '/' && /^\/(users|accounts)\//.test(path))
}

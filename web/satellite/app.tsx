import type { Caller } from '@mainstay-auth/client'
import type { ReactNode } from 'react'
import { drawn } from '../pieces/draw.js'
import { EmptyPage } from '../pieces/empty.js'
import { t } from '../pieces/language/t.js'
import { useLoad } from '../pieces/loading/use-load.js'
import { Toasts } from '../pieces/notices/toasts.js'
import { Page } from '../pieces/page.js'
import { usePlace } from '../pieces/router.js'
import { OutageBanner } from '../pieces/sessions/outage-banner.js'
import { SessionGate } from '../pieces/sessions/session-gate.js'
import { BrandLink } from '../pieces/shell/brand-link.js'
import { type NavigationLink, shownOf } from '../pieces/shell/navigation-link.js'
import { type Person, PersonMenu } from '../pieces/shell/person-menu.js'
import { RowNav } from '../pieces/shell/row-nav.js'
import { SkipLink } from '../pieces/shell/skip-link.js'
import { client, read } from './client.js'
import { DataPage, ReportsPage } from './entries.js'
import { CallbackPage, LoginPage } from './login.js'
import { SecurityPage } from './security.js'
import { WhoAmIPage } from './who-am-i.js'

export const drawOn = drawn(() => <App />)

/** A satellite: a customer's site whose visitors log in with Mainstay. */
function App() {
  const { path } = usePlace()
  if (path === '/handoff-callback') return <CallbackPage />
  return (
    <SessionGate client={client} login={news => <LoginPage news={news} />}>
      {caller => <SatellitePages caller={caller} />}
    </SessionGate>
  )
}

function SatellitePages({ caller }: { readonly caller: Caller }) {
  const { path } = usePlace()
  const { permissions } = caller
  const profile = useLoad(() => read<Person>('profile'))
  const links = [
    ['/', t('satellite.me'), true],
    ['/data', t('satellite.data'), permissions.dataEntry],
    ['/reports', t('satellite.reports'), permissions.viewReports],
    ['/security', t('security.title'), true],
  ] as const
  return (
    <TopFrame
      person={profile.data}
      links={links.map(([href, name, isShown]) => ({ href, name, isShown, isCurrent: path === href }))}
    >
      <SatellitePage caller={caller} path={path} />
    </TopFrame>
  )
}

function SatellitePage({ caller, path }: { readonly caller: Caller; readonly path: string }) {
  const { userId } = caller
  if (path === '/data') return <DataPage key={userId} userId={userId} />
  if (path === '/reports') return <ReportsPage userId={userId} />
  if (path === '/security') return <SecurityPage />
  return path === '/' ? <WhoAmIPage caller={caller} /> : <NotFoundPage />
}

/** The frame around a satellite's pages: its brand, its few links, and who is logged in. */
export function TopFrame({
  person,
  links,
  children,
}: {
  readonly person: Person | null
  readonly links: readonly NavigationLink[]
  readonly children: ReactNode
}) {
  return (
    <>
      <SkipLink />
      <OutageBanner client={client} />
      <header className="top">
        <BrandLink href="/" />
        <RowNav links={shownOf(links)} />
        <PersonMenu client={client} person={person} links={[['/security', t('security.title'), 'shield']]} />
      </header>
      <main id="content" className="wide" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </>
  )
}

export function NotFoundPage() {
  return (
    <Page title={t('notFound.title')}>
      <EmptyPage link={t('satellite.toStart')}>{t('notFound.mistyped')}</EmptyPage>
    </Page>
  )
}

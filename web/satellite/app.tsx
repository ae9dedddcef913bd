import type { Caller } from '@mainstay-auth/client'
import type { ReactNode } from 'react'
import { drawn } from '../pieces/draw.js'
import { useLoad } from '../pieces/loading.js'
import {
  type NavigationLink,
  type Person,
  PersonMenu,
  RowNav,
  SkipLink,
  shownOf,
} from '../pieces/navigation.js'
import { Toasts } from '../pieces/notices.js'
import { OutageBanner } from '../pieces/outage.js'
import { BrandLink, EmptyPage, Page } from '../pieces/page.js'
import { usePlace } from '../pieces/router.js'
import { SessionGate } from '../pieces/session-gate.js'
import { t } from '../pieces/t.js'
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

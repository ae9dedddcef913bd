import type { Caller } from '@mainstay-auth/client'
import { usePlace } from '../pieces/router.js'
import { SessionGate } from '../pieces/sessions/session-gate.js'
import { site } from '../pieces/site.js'
import { SiteFrame } from '../pieces/site-frame.js'
import { useLoad } from '../pieces/use-load.js'
import { client, read } from './client.js'
import { CallbackPage } from './pages/callback.js'
import { DataPage } from './pages/data.js'
import { LoginPage } from './pages/login.js'
import { NotFoundPage } from './pages/not-found.js'
import { ReportsPage } from './pages/reports.js'
import { SecurityPage } from './pages/security.js'
import { WhoAmIPage } from './pages/who-am-i.js'

/** A satellite: a customer's site whose visitors log in with Mainstay. */
export function App() {
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
  const profile = useLoad(() => read<{ email: string }>('profile'))
  const links = [
    ['/', 'My account', true],
    ['/data', 'Data', permissions.dataEntry],
    ['/reports', 'Reports', permissions.viewReports],
    ['/security', 'Password and sessions', true],
  ] as const
  return (
    <SiteFrame
      client={client}
      brand={site.name}
      email={profile.data?.email ?? null}
      home="/"
      navigation="Site"
      links={links.map(([href, name, isShown]) => ({ href, name, isShown, isCurrent: path === href }))}
    >
      <SatellitePage caller={caller} path={path} />
    </SiteFrame>
  )
}

function SatellitePage({ caller, path }: { readonly caller: Caller; readonly path: string }) {
  if (path === '/data') return <DataPage />
  if (path === '/reports') return <ReportsPage />
  if (path === '/security') return <SecurityPage />
  return path === '/' ? <WhoAmIPage caller={caller} /> : <NotFoundPage />
}

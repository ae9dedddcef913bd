import type { Caller } from '@mainstay-auth/client'
import { drawn } from '../pieces/draw.js'
import { t } from '../pieces/language/t.js'
import { useLoad } from '../pieces/loading/use-load.js'
import { usePlace } from '../pieces/router.js'
import { SessionGate } from '../pieces/sessions/session-gate.js'
import type { Person } from '../pieces/shell/person-menu.js'
import { client, read } from './client.js'
import { CallbackPage } from './pages/callback.js'
import { DataPage } from './pages/data.js'
import { LoginPage } from './pages/login.js'
import { NotFoundPage } from './pages/not-found.js'
import { ReportsPage } from './pages/reports.js'
import { SecurityPage } from './pages/security.js'
import { WhoAmIPage } from './pages/who-am-i.js'
import { TopFrame } from './top-frame.js'

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

export const drawOn = drawn(() => <App />)

import type { Caller } from '../../client/index.js'
import { ActionButton } from '../pieces/button.js'
import { Failure } from '../pieces/notice.js'
import { Link, usePlace } from '../pieces/router.js'
import { SessionGate } from '../pieces/session-gate.js'
import { hostOf } from '../pieces/site.js'
import { useAction } from '../pieces/use-action.js'
import { client } from './client.js'
import { DataPage } from './pages/data.js'
import { LoginPage } from './pages/login.js'
import { ReportsPage } from './pages/reports.js'
import { WhoAmIPage } from './pages/who-am-i.js'

/** A satellite: a customer's site whose visitors log in with Mainstay. */
export function App() {
  const { path } = usePlace()
  return (
    <SessionGate client={client} login={hasEnded => <LoginPage hasEnded={hasEnded} />}>
      {caller => (
        <>
          <a className="skip" href="#content">
            Skip to the content
          </a>
          <Header caller={caller} path={path} />
          <main id="content" className="wide" tabIndex={-1}>
            <SatellitePage caller={caller} path={path} />
          </main>
        </>
      )}
    </SessionGate>
  )
}

function Header({ caller: { permissions }, path }: { readonly caller: Caller; readonly path: string }) {
  const logout = useAction(() => client.logout())
  const links = [
    ['/', 'Who am I', true],
    ['/data', 'Data', permissions.dataEntry],
    ['/reports', 'Reports', permissions.viewReports],
  ] as const
  return (
    <header className="top">
      <div className="bar">
        <Link href="/" className="brand">
          {hostOf(location.origin)}
        </Link>
        <ActionButton action={logout}>Log out</ActionButton>
      </div>
      <nav aria-label="Site">
        {links
          .filter(([, , isShown]) => isShown)
          .map(([href, name]) => (
            <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
              {name}
            </Link>
          ))}
      </nav>
      <Failure error={logout.error} />
    </header>
  )
}

function SatellitePage({ caller, path }: { readonly caller: Caller; readonly path: string }) {
  if (path === '/data') return <DataPage />
  if (path === '/reports') return <ReportsPage />
  return <WhoAmIPage caller={caller} />
}

import type { Caller } from '../../client/index.js'
import { ActionButton } from '../pieces/button.js'
import { Failure } from '../pieces/notice.js'
import { Link } from '../pieces/router.js'
import { useAction } from '../pieces/use-action.js'
import { client } from './client.js'
import { AuditPage } from './pages/account/audit.js'
import { LoginsPage } from './pages/account/logins.js'
import { MemberPage } from './pages/account/member.js'
import { OverviewPage } from './pages/account/overview.js'
import { ProfilePage } from './pages/account/profile.js'
import { SecurityPage } from './pages/account/security.js'
import { SessionsPage } from './pages/account/sessions.js'
import { SettingsPage } from './pages/account/settings.js'
import { TeamPage } from './pages/account/team.js'
import { NotFoundHere } from './pages/not-found.js'

const MEMBER = /^\/account\/team\/([\w-]+)$/

/** What somebody who is logged in has: navigation, and the page they are on. */
export function AccountPages({ caller, path }: { readonly caller: Caller; readonly path: string }) {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Header caller={caller} path={path} />
      <main id="content" className="wide" tabIndex={-1}>
        <AccountPage caller={caller} path={path} />
      </main>
    </>
  )
}

function Header({ caller: { permissions }, path }: { readonly caller: Caller; readonly path: string }) {
  const logout = useAction(() => client.logout())
  const links = [
    ['/account', 'Overview', true],
    ['/account/team', 'Team', permissions.teamManagement],
    ['/account/sessions', 'Sessions', true],
    ['/account/logins', 'Login history', true],
    ['/account/audit', 'Audit log', permissions.accountSettings],
    ['/account/security', 'Password and e-mail', true],
    ['/account/profile', 'Profile', true],
    ['/account/settings', 'Account', permissions.accountSettings],
  ] as const
  return (
    <header className="top">
      <div className="bar">
        <Link href="/account" className="brand">
          Mainstay
        </Link>
        <ActionButton action={logout}>Log out</ActionButton>
      </div>
      <nav aria-label="Account">
        {links
          .filter(([, , isShown]) => isShown)
          .map(([href, name]) => (
            <Link key={href} href={href} aria-current={isOn(path, href) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
      </nav>
      <Failure error={logout.error} />
    </header>
  )
}

function isOn(path: string, href: string): boolean {
  return path === href || (href === '/account/team' && MEMBER.test(path))
}

function AccountPage({ caller, path }: { readonly caller: Caller; readonly path: string }) {
  const member = MEMBER.exec(path)?.[1]
  if (member) return <MemberPage key={member} userId={member} caller={caller} />
  switch (path) {
    case '/account':
      return <OverviewPage caller={caller} />
    case '/account/team':
      return <TeamPage caller={caller} />
    case '/account/sessions':
      return <SessionsPage />
    case '/account/logins':
      return <LoginsPage />
    case '/account/audit':
      return <AuditPage />
    case '/account/security':
      return <SecurityPage />
    case '/account/profile':
      return <ProfilePage />
    case '/account/settings':
      return <SettingsPage />
    default:
      return <NotFoundHere />
  }
}

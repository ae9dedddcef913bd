import type { Caller } from '@mainstay-auth/client'
import type { IconName } from '../pieces/icon.js'
import { type Load, Loaded, useLoad } from '../pieces/loading.js'
import { EmptyPage, Page } from '../pieces/page.js'
import { type Permission, permissionName } from '../pieces/people.js'
import { site } from '../pieces/site.js'
import { t } from '../pieces/t.js'
import { call, noteEnrolmentRequired, type Profile, type SecondFactor } from './api.js'
import { AuditPage } from './pages/account/audit.js'
import { BillingPage } from './pages/account/billing.js'
import { LoginsPage } from './pages/account/logins.js'
import { MemberPage } from './pages/account/member.js'
import { OverviewPage } from './pages/account/overview.js'
import { ProfilePage } from './pages/account/profile.js'
import { SatellitePage } from './pages/account/satellite.js'
import { SatellitesPage } from './pages/account/satellites.js'
import { SecurityPage } from './pages/account/security.js'
import { SessionsPage } from './pages/account/sessions.js'
import { SettingsPage } from './pages/account/settings.js'
import { TeamPage } from './pages/account/team.js'
import { NotFoundHere } from './pages/not-found.js'
import { SubscribePage } from './pages/subscribe.js'
import { SideFrame } from './side-frame.js'

// In this script too, because it shares most of the code.
export { SubscribePage }

const MEMBER = /^\/account\/team\/([\w-]+)$/
const SATELLITE = /^\/account\/satellites\/([\w-]+)$/

/** Everything for people who are logged in: the navigation, and the current page. */
export function AccountPages({ caller, path }: { readonly caller: Caller; readonly path: string }) {
  const profile = useLoad(() => call<Profile>('GET', 'profile'))
  const groups = allGroups().map(({ name, links }) => ({
    name,
    links: links.map(([href, name, icon, needed]) => ({
      href,
      name,
      icon,
      needed,
      isShown: !needed || caller.permissions[needed],
      isCurrent: isOn(path, href),
    })),
  }))
  const barred = groups.flatMap(({ links }) => links).find(link => link.isCurrent && !link.isShown)
  return (
    <SideFrame person={profile.data} groups={groups}>
      {barred?.needed ? (
        <NotPermitted key={barred.href} title={barred.name} permission={barred.needed} />
      ) : (
        <AccountPage caller={caller} path={path} profile={profile} />
      )}
    </SideFrame>
  )
}

type PageLink = readonly [href: string, name: string, icon: IconName, needed?: Permission]

/** The order of the pages in the navigation, and the permission that each needs. */
function allGroups(): readonly { name: string; links: readonly PageLink[] }[] {
  return [
    {
      name: t('nav.account'),
      links: [
        ['/account', t('overview.title'), 'home'],
        ['/account/team', t('team.title'), 'team', 'teamManagement'],
        ...(site.takesPayments
          ? [['/account/billing', t('billing.title'), 'card', 'payments'] as const]
          : []),
        ['/account/satellites', t('satellites.title'), 'globe', 'accountSettings'],
        ['/account/audit', t('audit.title'), 'list', 'accountSettings'],
        ['/account/settings', t('settings.title'), 'settings', 'accountSettings'],
      ],
    },
    {
      name: t('nav.you'),
      links: [
        ['/account/profile', t('profile.title'), 'person'],
        ['/account/security', t('security.title'), 'shield'],
        ['/account/sessions', t('sessions.title'), 'laptop'],
        ['/account/logins', t('logins.title'), 'clock'],
      ],
    },
  ]
}

function isOn(path: string, href: string): boolean {
  if (href === '/account/team' && MEMBER.test(path)) return true
  return path === href || (href === '/account/satellites' && SATELLITE.test(path))
}

function AccountPage({
  caller,
  path,
  profile,
}: {
  readonly caller: Caller
  readonly path: string
  readonly profile: Load<Profile>
}) {
  const member = MEMBER.exec(path)?.[1]
  if (member) return <MemberPage key={member} userId={member} caller={caller} />
  const satellite = SATELLITE.exec(path)?.[1]
  if (satellite) return <SatellitePage key={satellite} id={satellite} />
  switch (path) {
    case '/account':
      return <OverviewPage caller={caller} profile={profile} />
    case site.takesPayments && '/account/billing':
      return <BillingPage />
    case '/account/team':
      return <TeamPage caller={caller} />
    case '/account/satellites':
      return <SatellitesPage />
    case '/account/sessions':
      return <SessionsPage />
    case '/account/logins':
      return <LoginsPage />
    case '/account/audit':
      return <AuditPage />
    case '/account/security':
      return <SecurityPage person={profile.data} />
    case '/account/profile':
      return <ProfilePage profile={profile} />
    case '/account/settings':
      return <SettingsPage />
    default:
      return <NotFoundHere />
  }
}

/** Instead of a page that needs a permission which the caller does not have. */
export function NotPermitted({
  title,
  permission,
}: {
  readonly title: string
  readonly permission: Permission
}) {
  const mustEnrol = useLoad(async () => {
    const { mustEnrol } = await call<SecondFactor>('GET', 'second-factor')
    // Until they have a second factor, they have no permissions at all.
    if (mustEnrol) noteEnrolmentRequired()
    return mustEnrol
  })
  return (
    <Page title={title}>
      <Loaded of={mustEnrol}>
        {() => (
          <EmptyPage icon="shield" href="/account" link={t('notFound.toAccount')}>
            {t('notPermitted.who', { permission: permissionName(permission) })}
          </EmptyPage>
        )}
      </Loaded>
    </Page>
  )
}

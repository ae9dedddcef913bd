import { type ReactNode, useState } from 'react'
import { Icon } from '../../pieces/icon.js'
import { t } from '../../pieces/language/t.js'
import { Toasts } from '../../pieces/notices/toasts.js'
import { type Place, usePlace } from '../../pieces/router.js'
import { OutageBanner } from '../../pieces/sessions/outage-banner.js'
import { BrandLink } from '../../pieces/shell/brand-link.js'
import { type Person, PersonMenu } from '../../pieces/shell/person-menu.js'
import { SkipLink } from '../../pieces/shell/skip-link.js'
import { client } from '../client.js'
import { Drawer } from './drawer.js'
import { Navigation, type NavigationGroup } from './navigation.js'

const ownLinks = () =>
  [
    ['/account/profile', t('profile.title'), 'person'],
    ['/account/security', t('security.title'), 'shield'],
  ] as const

/** The frame around every account page: a bar at the side, or at the top in a narrow window. */
export function SideFrame({
  person,
  groups,
  children,
}: {
  readonly person: Person | null
  readonly groups: readonly NavigationGroup[]
  readonly children: ReactNode
}) {
  const place = usePlace()
  /** Where the drawer was opened: it does not stay over the next page. */
  const [openAt, setOpenAt] = useState<Place | null>(null)
  return (
    <div className="shell">
      <SkipLink />
      <OutageBanner client={client} />
      <header className="top side">
        <BrandLink href="/account" />
        <button
          type="button"
          className="quiet icon-button menu-button"
          aria-label={t('nav.menu')}
          onClick={() => setOpenAt(place)}
        >
          <Icon name="menu" />
        </button>
        <Navigation groups={groups} />
        <PersonMenu client={client} person={person} links={ownLinks()} />
      </header>
      <main id="content" className="wide" tabIndex={-1}>
        {children}
      </main>
      {openAt === place && <Drawer groups={groups} close={() => setOpenAt(null)} />}
      <Toasts />
    </div>
  )
}

import { type MouseEvent, type ReactNode, useId, useRef, useState } from 'react'
import { useLayoutEffect } from '../pieces/activity.js'
import { Icon } from '../pieces/icon.js'
import {
  NavigationItem,
  type NavigationLink,
  type Person,
  PersonMenu,
  SkipLink,
  shownOf,
} from '../pieces/navigation.js'
import { Toasts } from '../pieces/notices.js'
import { OutageBanner } from '../pieces/outage.js'
import { BrandLink } from '../pieces/page.js'
import { type Place, usePlace } from '../pieces/router.js'
import { t } from '../pieces/t.js'
import { client } from './client.js'

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

interface NavigationGroup {
  readonly name: string
  readonly links: readonly NavigationLink[]
}

/** The pages of the account and of the person, as far as the caller may see them. */
function Navigation({ groups }: { readonly groups: readonly NavigationGroup[] }) {
  const id = useId()
  return (
    <nav className="nav" aria-label={t('nav.main')}>
      {groups.map(({ name, links }) => (
        <div key={name}>
          <p id={`${id}-${name}`}>{name}</p>
          <ul aria-labelledby={`${id}-${name}`}>
            {shownOf(links).map(link => (
              <li key={link.href}>
                <NavigationItem link={link} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

/**
 * The navigation in a narrow window, over the page. Closed by Escape, its button, a click beside it, or any
 * of its links.
 */
function Drawer({
  groups,
  close,
}: {
  readonly groups: readonly NavigationGroup[]
  readonly close: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  // Before the link is followed: the next page takes the focus, which it could not do under an open dialog.
  const closeFor = ({ target }: MouseEvent) => {
    const isBeside = target === dialog.current
    if (isBeside || (target as Element).closest('a')) dialog.current?.close()
  }
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-label={t('nav.navigation')}
      onClose={close}
      onClickCapture={closeFor}
    >
      <div className="drawer-body">
        <div className="drawer-head">
          <BrandLink href="/account" />
          <button type="button" className="quiet icon-button" aria-label={t('common.close')} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <Navigation groups={groups} />
      </div>
    </dialog>
  )
}

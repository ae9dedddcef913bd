import type { Client } from '@mainstay-auth/client'
import { type MouseEvent, type ReactNode, type ToggleEvent, useId, useRef } from 'react'
import { useEffect } from './activity.js'
import { ActionButton, useAction } from './forms.js'
import { Icon, type IconName } from './icon.js'
import { Failure } from './notices.js'
import { LanguageChoice, ThemeChoice } from './page.js'
import { Avatar } from './people.js'
import { Link } from './router.js'
import { t } from './t.js'

export interface NavigationLink {
  readonly href: string
  readonly name: string
  readonly icon?: IconName
  readonly isShown: boolean
  readonly isCurrent: boolean
}

/** Those that the caller may see. */
export function shownOf(links: readonly NavigationLink[]): readonly NavigationLink[] {
  return links.filter(({ isShown }) => isShown)
}

export function NavigationItem({ link: { href, name, icon, isCurrent } }: { readonly link: NavigationLink }) {
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
      {icon && <Icon name={icon} />}
      {name}
    </Link>
  )
}

/** The links of a site, in as many rows as they need. */
export function RowNav({ links }: { readonly links: readonly NavigationLink[] }) {
  return (
    <nav className="nav row-nav" aria-label={t('nav.site')}>
      {links.map(link => (
        <NavigationItem key={link.href} link={link} />
      ))}
    </nav>
  )
}

/** From one item back to the list. */
export function BackLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className="back">
      <Icon name="back" />
      {children}
    </Link>
  )
}

/** Skips the navigation, for keyboard users. */
export function SkipLink() {
  return (
    <a className="skip" href="#content">
      {t('nav.skip')}
    </a>
  )
}

const GAP = 4

/**
 * A button that opens a few links and buttons. The browser does the hard part: Escape and a click outside
 * close it, and the focus moves from the button into it and back.
 */
export function Menu({
  button,
  className,
  children,
}: {
  /** The content of the button. */
  readonly button: ReactNode
  readonly className: string
  readonly children: ReactNode
}) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const close = () => menu.current?.hidePopover()
  useEffect(() => {
    // It does not move after opening, so it cannot follow the button.
    addEventListener('resize', close)
    addEventListener('scroll', close, { passive: true })
    return () => {
      removeEventListener('resize', close)
      removeEventListener('scroll', close)
    }
  }, [])
  const closeFor = ({ target }: MouseEvent) => {
    if ((target as Element).closest('a, button')) close()
  }
  const place = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState === 'open' && opener.current) putBeside(event.currentTarget, opener.current)
  }
  return (
    <>
      <button ref={opener} type="button" className={className} popoverTarget={id}>
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its links and buttons close it, also by the keyboard. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above. */}
      <div ref={menu} id={id} popover="auto" className="menu" onToggle={place} onClick={closeFor}>
        {children}
      </div>
    </>
  )
}

/** Places it below the button or, if there is no room, above it; never beyond the edges of the window. */
function putBeside(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const isLow = bottom + GAP + height > innerHeight
  const isFar = left + width > innerWidth || getComputedStyle(menu).direction === 'rtl'
  menu.style.top = `${Math.max(GAP, isLow ? top - GAP - height : bottom + GAP)}px`
  menu.style.left = `${Math.max(GAP, isFar ? right - width : left)}px`
}

/** The person who is logged in. */
export interface Person {
  readonly email: string
  readonly name: string | null
}

/** A link in the menu: its address, its name and its icon. */
type MenuLink = readonly [href: string, name: string, icon: IconName]

/** Who is logged in, on every page, with links to their own pages and a button to log out. */
export function PersonMenu({
  client,
  person,
  links,
}: {
  readonly client: Client
  /** Null until it is known. */
  readonly person: Person | null
  readonly links: readonly MenuLink[]
}) {
  const logout = useAction(() => client.logout())
  return (
    <div className="person">
      <Menu
        className="person-button"
        button={
          <>
            <span className="unseen">{t('nav.accountMenu')}</span>
            <Avatar name={person?.name ?? person?.email ?? ''} />
            <PersonWords person={person} className="person-words" />
            <Icon name="choose" />
          </>
        }
      >
        <PersonWords person={person} className="menu-head" />
        <hr />
        {links.map(([href, name, icon]) => (
          <Link key={href} href={href}>
            <Icon name={icon} />
            {name}
          </Link>
        ))}
        <hr />
        <LanguageChoice keep={language => keepLanguage(client, language)} />
        <ThemeChoice />
        <hr />
        <ActionButton action={logout}>
          <Icon name="leave" />
          {t('common.logOut')}
        </ActionButton>
      </Menu>
      <Failure error={logout.error} />
    </div>
  )
}

/** The service refuses a language that only the pages have, and mails stay in the previous one. */
function keepLanguage(client: Client, language: string): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' }
  return client.fetch('/api/profile', { method: 'PATCH', headers, body: JSON.stringify({ language }) })
}

function PersonWords({ person, className }: { readonly person: Person | null; readonly className: string }) {
  if (!person) return null
  const { email, name } = person
  return (
    <span className={className}>
      <span>{name ?? email}</span>
      {name && <small>{email}</small>}
    </span>
  )
}

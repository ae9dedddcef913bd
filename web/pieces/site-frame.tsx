import type { ReactNode } from 'react'
import type { Client } from '../../client/index.js'
import { ActionButton } from './button.js'
import { Failure } from './notice.js'
import { Link } from './router.js'
import { useAction } from './use-action.js'

export interface NavigationLink {
  readonly href: string
  readonly name: string
  readonly isShown: boolean
  readonly isCurrent: boolean
}

/** What stands around every page of somebody who is logged in: the way to the content, the brand, the navigation, the logout. */
export function SiteFrame({
  client,
  brand,
  home,
  navigation,
  links,
  children,
}: {
  readonly client: Client
  readonly brand: string
  readonly home: string
  /** What the navigation is called. */
  readonly navigation: string
  readonly links: readonly NavigationLink[]
  readonly children: ReactNode
}) {
  const logout = useAction(() => client.logout())
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <div className="bar">
          <Link href={home} className="brand">
            {brand}
          </Link>
          <ActionButton action={logout}>Log out</ActionButton>
        </div>
        <nav aria-label={navigation}>
          {links
            .filter(({ isShown }) => isShown)
            .map(({ href, name, isCurrent }) => (
              <Link key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
                {name}
              </Link>
            ))}
        </nav>
        <Failure error={logout.error} />
      </header>
      <main id="content" className="wide" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

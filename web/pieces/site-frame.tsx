import type { Client } from '@mainstay-auth/client'
import type { ReactNode } from 'react'
import { ActionButton } from './forms/button.js'
import { useAction } from './forms/use-action.js'
import { Failure } from './notice.js'
import { Link } from './router.js'
import { leave } from './sessions/leaving.js'
import { OutageBanner } from './sessions/outage-banner.js'

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
  email,
  home,
  navigation,
  links,
  children,
}: {
  readonly client: Client
  readonly brand: string
  /** Of who is logged in; null until it is known. */
  readonly email: string | null
  readonly home: string
  /** What the navigation is called. */
  readonly navigation: string
  readonly links: readonly NavigationLink[]
  readonly children: ReactNode
}) {
  const logout = useAction(() => leave(client))
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <OutageBanner client={client} />
      <header className="top">
        <div className="bar">
          <Link href={home} className="brand">
            {brand}
          </Link>
          <span className="who" title={email ?? undefined}>
            {email}
          </span>
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

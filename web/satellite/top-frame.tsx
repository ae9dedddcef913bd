import type { ReactNode } from 'react'
import { t } from '../pieces/language/t.js'
import { Toasts } from '../pieces/notices/toasts.js'
import { OutageBanner } from '../pieces/sessions/outage-banner.js'
import { BrandLink } from '../pieces/shell/brand-link.js'
import { type NavigationLink, shownOf } from '../pieces/shell/navigation-link.js'
import { type Person, PersonMenu } from '../pieces/shell/person-menu.js'
import { RowNav } from '../pieces/shell/row-nav.js'
import { SkipLink } from '../pieces/shell/skip-link.js'
import { client } from './client.js'

/** The frame around a satellite's pages: its brand, its few links, and who is logged in. */
export function TopFrame({
  person,
  links,
  children,
}: {
  readonly person: Person | null
  readonly links: readonly NavigationLink[]
  readonly children: ReactNode
}) {
  return (
    <>
      <SkipLink />
      <OutageBanner client={client} />
      <header className="top">
        <BrandLink href="/" />
        <RowNav links={shownOf(links)} />
        <PersonMenu client={client} person={person} links={[['/security', t('security.title'), 'shield']]} />
      </header>
      <main id="content" className="wide" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </>
  )
}

import { useEffect, useRef } from 'react'
import { t } from '../language/t.js'
import { NavigationItem, type NavigationLink } from './navigation-link.js'

/** The links of a site in one row. It scrolls where it is too long, and shows the current one. */
export function RowNav({ links }: { readonly links: readonly NavigationLink[] }) {
  const nav = useRef<HTMLElement>(null)
  const current = links.find(({ isCurrent }) => isCurrent)?.href
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav ref={nav} className="nav row-nav" aria-label={t('nav.site')}>
      {links.map(link => (
        <NavigationItem key={link.href} link={link} />
      ))}
    </nav>
  )
}

import { t } from '../language/t.js'
import { NavigationItem, type NavigationLink } from './navigation-link.js'

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

import { useId } from 'react'
import { t } from '../../pieces/language/t.js'
import { NavigationItem, type NavigationLink, shownOf } from '../../pieces/shell/navigation-link.js'

export interface NavigationGroup {
  readonly name: string
  readonly links: readonly NavigationLink[]
}

/** The pages of the account and of the person, as far as the caller may see them. */
export function Navigation({ groups }: { readonly groups: readonly NavigationGroup[] }) {
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

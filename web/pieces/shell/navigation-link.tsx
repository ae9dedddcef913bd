import { Icon, type IconName } from '../icon.js'
import { Link } from '../router.js'

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

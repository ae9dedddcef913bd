import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.js'
import { Link } from './router.js'

interface EmptyProps {
  readonly icon: IconName
  readonly children: ReactNode
}

/** Shown instead of an empty list: says that it is empty. */
export function Empty({ icon, children }: EmptyProps) {
  return (
    <div className="empty">
      <Badge icon={icon} />
      <p>{children}</p>
    </div>
  )
}

/** Shown instead of the content of a page: says why, and leads to another. */
export function EmptyPage({
  icon = 'info',
  href = '/',
  link,
  children,
}: Partial<EmptyProps> & {
  readonly href?: string
  /** The text of the link. */
  readonly link: string
}) {
  return (
    <div className="card">
      <div className="empty">
        <Badge icon={icon} />
        <p>{children}</p>
        <Link href={href} className="button">
          {link}
        </Link>
      </div>
    </div>
  )
}

/** A framed icon, beside the text about one thing. */
export function Badge({ icon }: { readonly icon: IconName }) {
  return (
    <span className="badge">
      <Icon name={icon} />
    </span>
  )
}

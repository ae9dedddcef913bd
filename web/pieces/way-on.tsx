import type { ReactNode } from 'react'
import { breakable } from './language/breakable.js'
import { Link } from './router.js'

/** The only way on from a page, or the usual one. */
export function WayOn({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <div className="actions">
      <Link href={href} className="button primary">
        <span>{breakable(children)}</span>
      </Link>
    </div>
  )
}

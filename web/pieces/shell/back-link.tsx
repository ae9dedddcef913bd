import type { ReactNode } from 'react'
import { Icon } from '../icon.js'
import { Link } from '../router.js'

/** From one item back to the list. */
export function BackLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className="back">
      <Icon name="back" />
      {children}
    </Link>
  )
}

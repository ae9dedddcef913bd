import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.js'

/** Shown instead of an empty list: says that it is empty, and what can be done about it. */
export function Empty({
  icon,
  action,
  children,
}: {
  readonly icon: IconName
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className="empty">
      <Badge icon={icon} />
      <p>{children}</p>
      {action}
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

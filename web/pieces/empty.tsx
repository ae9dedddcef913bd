import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.js'

/** In the place of a list that has nothing in it: that it is so, and what can be done about it. */
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

/** An icon in a frame, beside what is told about one thing. */
export function Badge({ icon }: { readonly icon: IconName }) {
  return (
    <span className="badge">
      <Icon name={icon} />
    </span>
  )
}

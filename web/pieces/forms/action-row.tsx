import type { ReactNode } from 'react'
import { Failure } from '../notices/notice.js'
import { ActionButton } from './button.js'
import type { Action } from './use-action.js'

/** A button on its own row, with any error beside it. */
export function ActionRow({
  action,
  children,
}: {
  readonly action: Action<void>
  readonly children: ReactNode
}) {
  return (
    <div className="actions">
      <ActionButton action={action}>{children}</ActionButton>
      <Failure error={action.error} />
    </div>
  )
}

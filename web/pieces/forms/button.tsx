import type { ReactNode } from 'react'
import type { Action } from './use-action.js'

interface ButtonLooks {
  readonly isBusy?: boolean
  readonly kind?: 'primary' | 'plain' | 'danger'
  readonly children: ReactNode
}

/** Submits the form it is in. */
export function SubmitButton({ isBusy = false, kind = 'primary', children }: ButtonLooks) {
  return (
    <button type="submit" className={kind} aria-disabled={isBusy} aria-busy={isBusy}>
      {isBusy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

/** Starts an action; while it runs, the button shows that and keeps the focus. */
export function ActionButton({
  action,
  label,
  kind = 'plain',
  children,
}: ButtonLooks & { readonly action: Action<void>; readonly label?: string }) {
  return (
    <button
      type="button"
      className={kind}
      aria-label={label}
      aria-disabled={action.isBusy}
      aria-busy={action.isBusy}
      onClick={() => void action.run()}
    >
      {action.isBusy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

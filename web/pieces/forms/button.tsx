import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import { rescueFocus } from './focus.js'
import type { Action } from './use-action.js'

interface ButtonLooks {
  readonly isBusy?: boolean
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly children: ReactNode
}

/** Submits the form it is in. */
export function SubmitButton({ isBusy = false, kind = 'primary', children }: ButtonLooks) {
  const button = useFocusRescue()
  return (
    <button ref={button} type="submit" className={kind} aria-disabled={isBusy} aria-busy={isBusy}>
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
  isOff = false,
  children,
}: ButtonLooks & {
  readonly action: Action<void>
  readonly label?: string
  /** Not to be pressed yet. */
  readonly isOff?: boolean
}) {
  const button = useFocusRescue()
  return (
    <button
      ref={button}
      type="button"
      className={kind}
      aria-label={label}
      aria-disabled={isOff || action.isBusy}
      aria-busy={action.isBusy}
      onClick={() => isOff || void action.run()}
    >
      {action.isBusy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

/** For a button: if it disappears while it has the focus, the focus moves to what has come of it. */
export function useFocusRescue(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  // While it is still in the page; the notice comes with the next render.
  useLayoutEffect(() => {
    const element = button.current
    return () => {
      if (document.activeElement === element) setTimeout(rescueFocus)
    }
  }, [])
  return button
}

import { type ReactNode, useId, useRef } from 'react'
import { useEffect, useLayoutEffect } from './activity.js'
import { rescueFocus } from './focus.js'
import { t } from './t.js'

/**
 * A modal question. Opens when it is rendered; Escape and “Cancel” both call `onCancel`. The focus returns to
 * what opened it. While a `foremost` one is there, it hides the others.
 */
export function Dialog({
  title,
  isForemost = false,
  onCancel,
  children,
}: {
  readonly title: string
  readonly isForemost?: boolean
  readonly onCancel: () => void
  readonly children: ReactNode
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  /** Hidden with its page, which may come back with what was typed. */
  const isHidden = useRef(false)
  // Closed while it is still in the page, because only then does the browser restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => {
      isHidden.current = true
      element?.close()
    }
  }, [])
  // What opened it may be gone too, and the notice comes with the next render.
  useEffect(() => () => void setTimeout(rescueFocus), [])
  const cancel = (event: { preventDefault(): void; target: unknown }) => {
    if (event.target !== dialog.current) return
    event.preventDefault()
    onCancel()
  }
  // The event comes later, perhaps when the dialog is shown again.
  const close = () => {
    if (!isHidden.current) onCancel()
    isHidden.current = false
  }
  return (
    <dialog
      ref={dialog}
      className={isForemost ? 'foremost' : ''}
      aria-labelledby={id}
      onCancel={cancel}
      onClose={close}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <button type="button" className="plain" onClick={onCancel}>
        {t('common.cancel')}
      </button>
    </dialog>
  )
}

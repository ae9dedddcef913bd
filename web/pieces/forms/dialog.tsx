import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { t } from '../language/t.js'
import { rescueFocus } from './focus.js'

/**
 * A question before everything else. Opens when it is drawn; Escape and “Cancel” both call `onCancel`. The focus goes
 * back to what opened it. One that is `foremost` hides the others as long as it is there.
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
  // Closed while it is still in the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  // What opened it may be gone too, and the news comes with the next drawing.
  useEffect(() => () => void setTimeout(rescueFocus), [])
  const cancel = (event: { preventDefault(): void; target: unknown }) => {
    if (event.target !== dialog.current) return
    event.preventDefault()
    onCancel()
  }
  return (
    <dialog
      ref={dialog}
      className={isForemost ? 'foremost' : ''}
      aria-labelledby={id}
      onCancel={cancel}
      onClose={onCancel}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <button type="button" className="plain" onClick={onCancel}>
        {t('common.cancel')}
      </button>
    </dialog>
  )
}

import { type ReactNode, useEffect, useId, useRef } from 'react'

/** A question before everything else. Opens when it is drawn; Escape and “Cancel” both call `onCancel`. */
export function Dialog({
  title,
  onCancel,
  children,
}: {
  readonly title: string
  readonly onCancel: () => void
  readonly children: ReactNode
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const cancel = (event: { preventDefault(): void; target: unknown }) => {
    if (event.target !== dialog.current) return
    event.preventDefault()
    onCancel()
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={cancel} onClose={onCancel}>
      <h2 id={id}>{title}</h2>
      {children}
      <button type="button" className="plain" onClick={onCancel}>
        Cancel
      </button>
    </dialog>
  )
}

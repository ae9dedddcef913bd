import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.js'
import { Form } from './form.js'

/** Asks before doing something. */
export function ConfirmButton({
  name,
  label,
  kind = 'plain',
  isFinal = kind === 'danger',
  question,
  confirm,
  act,
  children,
}: {
  readonly name: string
  /** Needed where several buttons on a page have the same name. */
  readonly label?: string
  /** `danger` is for what cannot be undone, where it stands alone. */
  readonly kind?: 'danger' | 'plain'
  /** Whether it cannot be undone. */
  readonly isFinal?: boolean
  readonly question: string
  readonly confirm: string
  readonly act: () => Promise<unknown>
  readonly children?: ReactNode
}) {
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  return (
    <>
      <button type="button" className={kind} aria-label={label} onClick={() => setIsAsking(true)}>
        {name}
      </button>
      {isAsking && (
        <Dialog title={question} onCancel={close}>
          {children}
          <Form kind={isFinal ? 'danger' : 'primary'} submit={confirm} send={() => act().then(close)} />
        </Dialog>
      )}
    </>
  )
}

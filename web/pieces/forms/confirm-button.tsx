import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.js'
import { Form } from './form.js'

/** For what cannot be undone: asks before doing it. */
export function ConfirmButton({
  name,
  label,
  kind = 'danger',
  question,
  confirm,
  act,
  children,
}: {
  readonly name: string
  /** Needed where several buttons on a page have the same name. */
  readonly label?: string
  /** `plain` is quieter, for lists with one in every row. */
  readonly kind?: 'danger' | 'plain'
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
          <Form kind="danger" submit={confirm} send={() => act().then(close)} />
        </Dialog>
      )}
    </>
  )
}

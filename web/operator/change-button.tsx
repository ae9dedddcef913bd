import { type ReactNode, useState } from 'react'
import { Dialog } from '../pieces/forms/dialog.js'
import { Field } from '../pieces/forms/field.js'
import { Form } from '../pieces/forms/form.js'
import { toast } from '../pieces/toasts.js'
import { tell } from './api.js'

/** A change by an operator: asks why, which is kept with it. */
export function ChangeButton({
  name,
  label,
  kind = 'plain',
  question,
  path,
  said,
  done,
  children,
}: {
  readonly name: string
  /** Where several of the same name stand on one page. */
  readonly label?: string
  readonly kind?: 'danger' | 'plain'
  readonly question: string
  /** Of the route that makes it. */
  readonly path: string
  /** What is said once it is made. */
  readonly said: string
  readonly done: () => Promise<void>
  /** What follows from it. */
  readonly children?: ReactNode
}) {
  const [isAsking, setIsAsking] = useState(false)
  const change = async (texts: Readonly<Record<string, string>>) => {
    await tell(path, { reason: texts.reason })
    setIsAsking(false)
    toast(said)
    await done()
  }
  return (
    <>
      <button type="button" className={kind} aria-label={label} onClick={() => setIsAsking(true)}>
        {name}
      </button>
      {isAsking && (
        <Dialog title={question} onCancel={() => setIsAsking(false)}>
          {children}
          <Form kind={kind === 'danger' ? 'danger' : 'primary'} submit={name} send={change}>
            <Field
              label="Reason"
              name="reason"
              hint="The account reads it in its audit log."
              minLength={3}
              maxLength={300}
              autoComplete="off"
              required
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

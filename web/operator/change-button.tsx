import { type ReactNode, useState } from 'react'
import { Dialog } from '../pieces/forms/dialog.js'
import { Field } from '../pieces/forms/field.js'
import { Form } from '../pieces/forms/form.js'
import type { Messages } from '../pieces/notices/messages.js'
import { toast } from '../pieces/notices/toasts.js'
import { tell } from './api.js'
import { t } from './language.js'

/** A change by an operator: asks why, which is kept with it. */
export function ChangeButton({
  name,
  label,
  kind = 'plain',
  question,
  path,
  said,
  messages,
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
  /** Where a refusal means something else than elsewhere. */
  readonly messages?: Messages
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
          <Form
            kind={kind === 'danger' ? 'danger' : 'primary'}
            submit={name}
            send={change}
            {...(messages && { messages })}
          >
            <Field
              label={t('console.reason')}
              name="reason"
              hint={t('console.reasonHint')}
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

import { type FieldError, MainstayError } from '@mainstay-auth/client'
import { createContext, type FormEvent, type ReactNode, useState } from 'react'
import { type Messages, withoutPeriod } from '../messages.js'
import { Failure } from '../notice.js'
import { SubmitButton } from './button.js'
import { useAction } from './use-action.js'

/** What the service found wrong with the fields of the form around. */
export const FieldErrors = createContext<readonly FieldError[]>([])

/** The texts of a form by the names of its fields. */
export type Texts = Readonly<Record<string, string>>

/**
 * A form with its button. What went wrong stands above the button, and at the fields the service named; what it found
 * wrong with something that is no field here stands above the button too.
 */
export function Form({
  send,
  submit,
  kind,
  messages,
  children,
}: {
  readonly send: (texts: Texts, form: HTMLFormElement) => Promise<unknown>
  readonly submit: string
  readonly kind?: 'primary' | 'plain' | 'danger'
  /** Where this form says it in other words. */
  readonly messages?: Messages
  readonly children?: ReactNode
}) {
  const action = useAction((form: HTMLFormElement) => send(textsOf(form), form))
  const [fields, setFields] = useState<readonly string[]>([])
  const faults = action.error instanceof MainstayError ? action.error.errors : []
  const elsewhere = faults.filter(({ field }) => !fields.includes(field))
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setFields([...event.currentTarget.elements].map(element => (element as HTMLInputElement).name))
    void action.run(event.currentTarget)
  }
  return (
    <form onSubmit={onSubmit} className="form">
      <FieldErrors value={faults}>{children}</FieldErrors>
      <Failure error={action.error} {...(messages && { messages })}>
        {elsewhere.map(({ message }) => `${withoutPeriod(message)}.`).join(' ')}
      </Failure>
      <div className="actions">
        <SubmitButton isBusy={action.isBusy} kind={kind ?? 'primary'}>
          {submit}
        </SubmitButton>
      </div>
    </form>
  )
}

function textsOf(form: HTMLFormElement): Texts {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
}

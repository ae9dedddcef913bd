import { type FieldError, MainstayError } from '@mainstay-auth/client'
import { createContext, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../language/t.js'
import { faultText, type Messages, messageOf } from '../notices/messages.js'
import { Failure } from '../notices/notice.js'
import { isRefusal } from '../notices/refusal.js'
import { SubmitButton } from './button.js'
import { faultOf, wrongControlsOf } from './found-faults.js'
import { useAction } from './use-action.js'

/** The errors in the fields of the surrounding form. */
export const FieldErrors = createContext<readonly FieldError[]>([])

/** The values of a form, by field name. */
export type Texts = Readonly<Record<string, string>>

/**
 * A form with its button. Errors are shown at their fields, whether found by the page or by the service; so is the
 * refusal of a code. Service errors about anything that is not a field here are shown above the button.
 */
export function Form({
  send,
  submit,
  kind = 'primary',
  messages,
  cancel,
  beside,
  children,
}: {
  readonly send: (texts: Texts, form: HTMLFormElement) => Promise<unknown>
  readonly submit: string
  readonly kind?: 'primary' | 'plain' | 'danger' | undefined
  /** For errors that this form words differently. */
  readonly messages?: Messages | undefined
  /** For a form that can be left; dialogs have a button of their own. */
  readonly cancel?: () => void
  /** Another button. */
  readonly beside?: ReactNode
  readonly children?: ReactNode
}) {
  const action = useAction((form: HTMLFormElement) => send(textsOf(form), form))
  const [fields, setFields] = useState<readonly string[]>([])
  const [found, setFound] = useState<readonly FieldError[]>([])
  const own = useRef<HTMLFormElement>(null)
  const code = isRefusal(action.error, 'SECOND_FACTOR_INVALID') && fields.find(name => /code$/i.test(name))
  useEffect(() => {
    if (code) retype(own.current?.elements.namedItem(code) as HTMLInputElement)
  }, [action.error])
  const refused = action.error instanceof MainstayError ? action.error.errors : []
  const faults = code ? [{ field: code, message: messageOf(action.error, messages) }] : refused
  const elsewhere = faults.filter(({ field }) => !fields.includes(field))
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const wrong = wrongControlsOf(form)
    setFound(wrong.map(faultOf))
    if (wrong[0]) return pointAt(wrong[0])
    setFields([...form.elements].map(element => (element as HTMLInputElement).name))
    void action.run(form)
  }
  const onInput = ({ target }: FormEvent<HTMLFormElement>) => {
    const { name } = target as HTMLInputElement
    setFound(found.filter(({ field }) => field !== name))
  }
  return (
    <form ref={own} noValidate onSubmit={onSubmit} onInput={onInput} className="form">
      <FieldErrors value={[...found, ...faults]}>{children}</FieldErrors>
      <Failure error={!code && action.error} messages={messages}>
        {elsewhere.map(faultText).join(' ')}
      </Failure>
      <div className="actions">
        <SubmitButton isBusy={action.isBusy} kind={kind}>
          {submit}
        </SubmitButton>
        {cancel && (
          <button type="button" onClick={cancel}>
            {t('common.cancel')}
          </button>
        )}
        {beside}
      </div>
    </form>
  )
}

/** Of a wrong code there is nothing to keep, unless it is a long one with perhaps one slip. */
function retype(control: HTMLInputElement): void {
  if (control.inputMode === 'numeric') control.value = ''
  control.focus()
  control.select()
}

/** Errors are shown at the fields; only for a checkbox does the browser show its own message. */
function pointAt(control: HTMLElement): void {
  control.focus()
  if ((control as HTMLInputElement).type === 'checkbox') (control as HTMLInputElement).reportValidity()
}

function textsOf(form: HTMLFormElement): Texts {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
}

import { type InputHTMLAttributes, type ReactNode, use, useId } from 'react'
import { breakable } from '../language/breakable.js'
import { t } from '../language/t.js'
import { faultText } from '../notices/messages.js'
import { FieldErrors } from './form.js'

export type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string
  readonly name: string
  readonly hint?: string
  /** A button inside the field. */
  readonly button?: ReactNode
  /** Further content below. */
  readonly below?: ReactNode
}

/** An input with its label, a hint, and any error in what was typed. */
export function Field({ label, hint, button, below, ...input }: FieldProps) {
  const id = useId()
  const fault = use(FieldErrors).find(({ field }) => field === input.name)
  const told = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  const control = (
    <input {...input} id={id} aria-invalid={fault ? true : undefined} aria-describedby={told || undefined} />
  )
  return (
    <div className="field">
      <label htmlFor={id}>{breakable(label)}</label>
      {button ? (
        <div className="with-button">
          {control}
          {button}
        </div>
      ) : (
        control
      )}
      {below}
      {hint && <small id={`${id}-hint`}>{breakable(hint)}</small>}
      {fault && (
        <small id={`${id}-fault`} className="fault" role="alert">
          {breakable(faultText(fault))}
        </small>
      )}
    </div>
  )
}

export function EmailField({
  label = t('field.email'),
  autoComplete = 'username',
  ...input
}: Partial<FieldProps>) {
  return <Field label={label} name="email" type="email" autoComplete={autoComplete} required {...input} />
}

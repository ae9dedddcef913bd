import { type InputHTMLAttributes, use, useId } from 'react'
import { withoutPeriod } from '../messages.js'
import { FieldErrors } from './form.js'

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string
  readonly name: string
  readonly hint?: string
}

/** An input with its label, a hint, and what the service found wrong with it. */
export function Field({ label, hint, ...input }: FieldProps) {
  const id = useId()
  const fault = use(FieldErrors).find(({ field }) => field === input.name)?.message
  const told = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        aria-invalid={fault ? true : undefined}
        aria-describedby={told || undefined}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {fault && (
        <small id={`${id}-fault`} className="fault">
          {`${withoutPeriod(fault)}.`}
        </small>
      )}
    </div>
  )
}

export function EmailField({ label = 'E-mail', autoComplete = 'username', ...input }: Partial<FieldProps>) {
  return <Field label={label} name="email" type="email" autoComplete={autoComplete} required {...input} />
}

/** For a password that somebody has already. */
export function PasswordField({ label = 'Password', ...input }: Partial<FieldProps>) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="current-password"
      required
      {...input}
    />
  )
}

/** For a password that is chosen now. */
export function NewPasswordField({ label = 'Password' }: { readonly label?: string }) {
  return (
    <PasswordField
      label={label}
      autoComplete="new-password"
      minLength={8}
      hint="At least 8 characters. Four unrelated words are hard to guess and easy to remember."
    />
  )
}

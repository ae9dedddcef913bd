import { useEffect, useState } from 'react'
import { t } from '../../language/t.js'
import { T } from '../../language/text.js'
import type { Person } from '../../shell/person-menu.js'
import { Field, type FieldProps } from '../field.js'
import { StrengthMeter } from './strength-meter.js'

/** For an existing password. It can be shown, to find typing mistakes. */
export function PasswordField({ label = t('field.password'), ...input }: Partial<FieldProps>) {
  const [isShown, setIsShown] = useState(false)
  return (
    <Field
      label={label}
      name="password"
      type={isShown ? 'text' : 'password'}
      autoComplete="current-password"
      autoCapitalize="none"
      spellCheck={false}
      required
      button={
        <button type="button" onClick={() => setIsShown(!isShown)}>
          <T
            id={isShown ? 'password.hide' : 'password.show'}
            field={label}
            unseen={<span className="unseen" />}
          />
        </button>
      }
      {...input}
    />
  )
}

/** Tells password managers whose password the form is about, where it does not ask for the address. */
export function Whose({ email }: { readonly email: string | undefined }) {
  return email ? <input type="email" autoComplete="username" value={email} readOnly hidden /> : null
}

/** For a new password; shows its strength as soon as somebody types. */
export function NewPasswordField({
  label = t('field.password'),
  person,
  defaultValue,
}: Pick<FieldProps, 'defaultValue'> & {
  readonly label?: string
  /** Who it is for, besides what they type in the same form. */
  readonly person?: Person | null
}) {
  const [form, setForm] = useState<HTMLFormElement | null>(null)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  useEffect(() => {
    if (!form) return undefined
    const read = () => setTyped(Object.fromEntries(new FormData(form)) as Record<string, string>)
    // The name and the address may be corrected after the password.
    form.addEventListener('input', read)
    return () => form.removeEventListener('input', read)
  }, [form])
  const { password = '', email = '', name = '' } = { ...person, ...typed }
  return (
    <PasswordField
      label={label}
      autoComplete="new-password"
      defaultValue={defaultValue}
      minLength={8}
      hint={t('password.hint')}
      below={form && <StrengthMeter password={password} known={[email, name ?? '']} />}
      onFocus={event => setForm(event.target.form)}
    />
  )
}

import { type ChangeEvent, useState } from 'react'
import { Field, type FieldProps } from './field.js'
import { StrengthMeter } from './strength-meter.js'

/** For a password that somebody has already. They can have it shown, to find what they mistyped. */
export function PasswordField({ label = 'Password', ...input }: Partial<FieldProps>) {
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
          {isShown ? 'Hide' : 'Show'} <span className="unseen">{label.toLowerCase()}</span>
        </button>
      }
      {...input}
    />
  )
}

/** For a password that is chosen now; says how good it is as soon as somebody types one. */
export function NewPasswordField({ label = 'Password', ...input }: Partial<FieldProps>) {
  const [isWanted, setIsWanted] = useState(false)
  const [typed, setTyped] = useState({ password: '', email: '' })
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const email = target.form?.elements.namedItem('email')
    setTyped({ password: target.value, email: email instanceof HTMLInputElement ? email.value : '' })
  }
  return (
    <PasswordField
      label={label}
      autoComplete="new-password"
      minLength={8}
      hint="At least 8 characters. Four unrelated words are hard to guess and easy to remember."
      below={isWanted && <StrengthMeter {...typed} />}
      onFocus={() => setIsWanted(true)}
      onChange={onChange}
      {...input}
    />
  )
}

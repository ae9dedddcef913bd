import { type ChangeEvent, useState } from 'react'
import { t } from '../../language/t.js'
import { T } from '../../language/text.js'
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

/** For a new password; shows its strength as soon as somebody types. */
export function NewPasswordField({ label = t('field.password'), ...input }: Partial<FieldProps>) {
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
      hint={t('password.hint')}
      below={isWanted && <StrengthMeter {...typed} />}
      onFocus={() => setIsWanted(true)}
      onChange={onChange}
      {...input}
    />
  )
}

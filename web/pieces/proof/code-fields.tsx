import { type ChangeEvent, useRef } from 'react'
import { Field } from '../forms/field.js'
import { t } from '../language/t.js'

/** Six digits from an authenticator app. They submit their form by themselves, the same ones only once. */
export function CodeField({ label = t('field.code') }: { readonly label?: string }) {
  const sent = useRef('')
  const sendWhole = ({ target: { value, form } }: ChangeEvent<HTMLInputElement>) => {
    const digits = value.replace(/\s/g, '')
    const isOnItsWay = form?.querySelector('[aria-busy=true]')
    if (!/^\d{6}$/.test(digits) || digits === sent.current || isOnItsWay) return
    sent.current = digits
    form?.requestSubmit()
  }
  return (
    <Field
      label={label}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      // Apps show it in two groups, and people type it that way.
      pattern="[0-9 ]{6,8}"
      title={t('field.sixDigits')}
      maxLength={8}
      spellCheck={false}
      className="code"
      onChange={sendWhole}
      autoFocus
      required
    />
  )
}

export function RecoveryCodeField() {
  return (
    <Field
      label={t('field.recoveryCode')}
      name="recoveryCode"
      hint={t('field.recoveryHint')}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={32}
      className="code"
      autoFocus
      required
    />
  )
}

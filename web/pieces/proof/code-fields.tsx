import { Field } from '../forms/field.js'

/** Six digits of an authenticator app. */
export function CodeField({ label = 'Code of your authenticator app' }: { readonly label?: string }) {
  return (
    <Field
      label={label}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      // Apps show it as two groups, and people type it so.
      pattern="[0-9 ]{6,8}"
      title="Six digits"
      maxLength={8}
      spellCheck={false}
      className="code"
      autoFocus
      required
    />
  )
}

export function RecoveryCodeField() {
  return (
    <Field
      label="Recovery code"
      name="recoveryCode"
      hint="One of the codes that you saved. Each works once."
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

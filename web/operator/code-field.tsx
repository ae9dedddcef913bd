import { Field } from '../pieces/forms/field.js'

/** For six digits of the operator's app. */
export function CodeField() {
  return (
    <Field
      label="Code of your authenticator app"
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      required
    />
  )
}

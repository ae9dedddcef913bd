import { Field } from '../pieces/forms/field.js'
import { t } from './language.js'

/** For six digits from the operator's app. */
export function CodeField() {
  return (
    <Field label={t('field.code')} name="code" inputMode="numeric" autoComplete="one-time-code" required />
  )
}

import type { FieldError } from '@mainstay-auth/client'
import { t } from '../language/t.js'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The controls of a form that are filled in wrongly, in document order. */
export function wrongControlsOf(form: HTMLFormElement): readonly Control[] {
  return [...form.elements].filter((element): element is Control => !(element as Control).validity.valid)
}

/** What is wrong with a control, in a sentence for people. */
export function faultOf(control: Control): FieldError {
  return { field: control.name, message: messageFor(control) }
}

function messageFor(control: Control): string {
  const { validity, type, title, min, max, minLength } = control as HTMLInputElement
  if (validity.valueMissing) return type === 'email' ? t('fault.email') : t('fault.missing')
  if (validity.typeMismatch && type === 'email') return t('fault.emailShape')
  if (validity.typeMismatch) return t('fault.urlShape')
  if (validity.tooShort) return t('fault.tooShort', { minLength })
  if (validity.badInput) return t('fault.number')
  if (validity.rangeUnderflow || validity.rangeOverflow) return rangeText(min, max)
  return title || t('fault.other')
}

function rangeText(min: string, max: string): string {
  if (min && max) return t('fault.range', { min, max })
  return min ? t('fault.atLeast', { min }) : t('fault.atMost', { max })
}

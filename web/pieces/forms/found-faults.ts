import type { FieldError } from '@mainstay-auth/client'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Those of a form that somebody has filled in wrongly, in the order in which they stand there. */
export function wrongControlsOf(form: HTMLFormElement): readonly Control[] {
  return [...form.elements].filter((element): element is Control => !(element as Control).validity.valid)
}

/** What is wrong with a control, in a sentence for people. */
export function faultOf(control: Control): FieldError {
  return { field: control.name, message: messageFor(control) }
}

function messageFor(control: Control): string {
  const { validity, type, title, min, max, minLength } = control as HTMLInputElement
  if (validity.valueMissing) return type === 'email' ? 'Enter an e-mail address' : 'Please fill this in'
  if (validity.typeMismatch && type === 'email')
    return 'This is not a whole e-mail address; one looks like name@example.com'
  if (validity.typeMismatch) return 'This is not a whole address; one begins with https://'
  if (validity.tooShort) return `Enter at least ${minLength} characters`
  if (validity.badInput) return 'Enter a number'
  if (validity.rangeUnderflow || validity.rangeOverflow) return rangeText(min, max)
  return title || 'Please check this'
}

function rangeText(min: string, max: string): string {
  if (min && max) return `Enter a number from ${min} to ${max}`
  return min ? `Enter ${min} or more` : `Enter ${max} or less`
}

import { ApiError } from './api-error.js'
import type { Form } from './form.js'

/** The text of a field, or null when it is absent or empty (Stripe reads an empty value as "unset"). */
export function text(form: Form, name: string): string | null {
  const value = form[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/**
 * The text of a field; throws 400 parameter_missing when it is absent. `param` is its full name, brackets
 * included.
 */
export function requiredText(form: Form, name: string, param = name): string {
  const value = text(form, name)
  if (value === null)
    throw ApiError.badParameter('parameter_missing', param, `Missing required param: ${param}.`)
  return value
}

/** True or false, or null when absent; throws 400 for anything but `true` and `false`. */
export function flag(form: Form, name: string): boolean | null {
  const value = text(form, name)
  if (value === null || value === 'true' || value === 'false') return value && value === 'true'
  throw ApiError.badParameter('parameter_invalid_boolean', name, `Invalid boolean: ${value}`)
}

/** A whole number from 0, or null when absent; throws 400 parameter_invalid_integer for anything else. */
export function integer(form: Form, name: string): number | null {
  const value = text(form, name)
  if (value === null) return null
  if (/^\d{1,15}$/.test(value)) return Number(value)
  throw ApiError.badParameter('parameter_invalid_integer', name, `Invalid integer: ${value}`)
}

/** Whether the field is present but empty, which is how a request unsets an attribute. */
export function isUnset(form: Form, name: string): boolean {
  return form[name] === ''
}

/**
 * One of the choices, or null when absent; throws 400 parameter_invalid, naming `param`, for anything else.
 */
export function oneOf<T extends string>(
  form: Form,
  name: string,
  choices: readonly T[],
  param = name,
): T | null {
  const value = text(form, name)
  if (value === null || choices.includes(value as T)) return value as T | null
  const message = `Invalid ${param}: must be one of ${choices.join(', ')}`
  throw ApiError.badParameter('parameter_invalid', param, message)
}

/** An http(s) URL; throws 400 url_invalid, naming `param`, for anything else. */
export function webUrl(url: string, param: string): string {
  if (URL.canParse(url) && /^https?:/i.test(url)) return url
  throw ApiError.badParameter('url_invalid', param, 'Not a valid URL')
}

/** The nested form of that name; empty when absent. */
export function nested(form: Form, name: string): Form {
  const value = form[name]
  return typeof value === 'object' ? value : {}
}

/** The entries of a list of objects, such as line_items; empty when absent. */
export function nestedList(form: Form, name: string): Form[] {
  return Object.values(nested(form, name)).filter(value => typeof value === 'object')
}

/** The entries of a list of strings, such as expand; empty when absent. */
export function textList(form: Form, name: string): string[] {
  return Object.values(nested(form, name)).filter(value => typeof value === 'string')
}

/** The metadata: strings by name; empty when absent. */
export function metadata(form: Form): Record<string, string> {
  return Object.fromEntries(
    Object.keys(nested(form, 'metadata')).map(key => [key, text(nested(form, 'metadata'), key) ?? '']),
  )
}

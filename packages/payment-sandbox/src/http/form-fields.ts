import { nowSeconds } from '../state/clock.js'
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

// https://docs.stripe.com/api/metadata
const MAX_METADATA_KEYS = 50
const MAX_KEY_LENGTH = 40
const MAX_VALUE_LENGTH = 500

/**
 * The metadata: strings by name; empty when absent. Throws 400, naming the field in `param`, for what is too long and for
 * more than 50 keys.
 */
export function metadata(form: Form, param = 'metadata'): Record<string, string> {
  const given = nested(form, 'metadata')
  const keys = Object.keys(given)
  if (keys.length > MAX_METADATA_KEYS)
    throw ApiError.badParameter(
      'parameter_invalid',
      param,
      `You can only have up to ${MAX_METADATA_KEYS} keys in metadata.`,
    )
  return Object.fromEntries(keys.map(key => [key, metadataValue(key, text(given, key) ?? '', param)]))
}

function metadataValue(key: string, value: string, param: string): string {
  if (key.length > MAX_KEY_LENGTH) throw tooLong('key', key, MAX_KEY_LENGTH, param)
  if (value.length > MAX_VALUE_LENGTH) throw tooLong('value', value, MAX_VALUE_LENGTH, `${param}[${key}]`)
  return value
}

function tooLong(what: 'key' | 'value', given: string, max: number, param: string): ApiError {
  const message = `Metadata ${what}s can have up to ${max} characters, but you passed in a ${what} that is ${given.length} characters. Invalid ${what}: ${given}`
  return ApiError.badParameter('parameter_invalid_string', param, message)
}

/** An e-mail address, or null when absent; throws 400 email_invalid for anything else. */
export function emailAddress(form: Form, name: string): string | null {
  const value = text(form, name)
  if (value === null || /^[^\s@]+@[^\s@]+$/.test(value)) return value
  throw ApiError.badParameter('email_invalid', name, `Invalid email address: ${value}`)
}

/** A moment to come, in seconds since 1970, or null when absent; throws 400 for one that is past. */
export function futureTime(form: Form, name: string): number | null {
  const value = integer(form, name)
  if (value === null || value > nowSeconds()) return value
  const message = 'Invalid timestamp: must be an integer Unix timestamp in the future.'
  throw ApiError.badParameter('parameter_invalid_integer', name, message)
}

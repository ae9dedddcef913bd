import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nowSeconds } from './clock.js'

/** The status and the JSON body of an API answer. */
export interface Answer {
  status: number
  body: object
}

/** The first answer to an idempotency key, with a hash of its request and the time in seconds since 1970. */
export interface SavedAnswer extends Answer {
  requestHash: string
  savedAt: number
  requestId: string
}

/** A refusal in Stripe's own shape. Source: https://docs.stripe.com/api/errors. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error',
    message: string,
    readonly code?: string,
    readonly param?: string,
  ) {
    super(message)
  }

  /** 400: a parameter is missing, or Stripe would refuse its value. */
  static badParameter(code: string, param: string, message: string): ApiError {
    return new ApiError(400, 'invalid_request_error', message, code, param)
  }

  /** No such object: 404 when the path named it, 400 when a parameter did. */
  static missing(status: 400 | 404, kind: string, id: string, param: string): ApiError {
    return new ApiError(
      status,
      'invalid_request_error',
      `No such ${kind}: '${id}'`,
      'resource_missing',
      param,
    )
  }

  /** Whether the request was refused before any work began. */
  get isBadParameter(): boolean {
    return this.param !== undefined && this.code !== 'resource_missing'
  }

  /** The status and the JSON body; leaves out fields that do not apply, as Stripe does. */
  answer(): Answer {
    const { status, type, code, message, param } = this
    const doc_url = code && `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`
    return { status, body: { error: { type, code, doc_url, message, param } } }
  }
}

/**
 * A decoded form: `a[b][0]=x` is `{ a: { b: { 0: 'x' } } }`. It has no prototype, so that every name is safe.
 */
export interface Form {
  [name: string]: string | Form
}

/** Decodes a form body or query string with bracket nesting; an empty string gives an empty form. */
export function parseForm(encoded: string): Form {
  const form = emptyForm()
  for (const [key, value] of new URLSearchParams(encoded))
    put(form, key.replaceAll(']', '').split('['), value)
  return form
}

/** The parameters in sorted order, so that their order in a request does not matter. */
export function canonicalForm(encoded: string): string {
  const pairs = new URLSearchParams(encoded)
  pairs.sort()
  return pairs.toString()
}

function put(root: Form, path: string[], value: string): void {
  let form = root
  for (const name of path.slice(0, -1)) {
    const nested = form[name]
    const next = typeof nested === 'object' ? nested : emptyForm()
    form[name] = next
    form = next
  }
  // `expand[]=x` has no index: it is appended.
  form[path.at(-1) || Object.keys(form).length] = value
}

function emptyForm(): Form {
  return Object.create(null) as Form
}

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

/** A request with its whole body. */
export interface ReceivedRequest {
  method: string
  path: string
  /** The part after the `?`, still encoded. */
  query: string
  body: string
  headers: IncomingMessage['headers']
}

// Far more than any form needs; stops runaway bodies.
const MAX_BODY_BYTES = 1_000_000

/** Reads the whole request; rejects when it is cut off or is over 1 MB. */
export async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('The request body is over 1 MB')
    chunks.push(chunk)
  }
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  const body = Buffer.concat(chunks).toString('utf8')
  return { method: request.method ?? 'GET', path, query, body, headers: request.headers }
}

/** A listening server; port 0 picks a free port. Rejects when the port is in use. */
export async function listen(port: number, host: string): Promise<Server> {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

/** The URL of the server, without a trailing slash. */
export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Stops listening and drops open connections; safe to repeat. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

// https://docs.stripe.com/api/pagination
const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100

export interface List<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
}

/** One page of `all` by `limit` and `starting_after`; an unknown `starting_after` starts at the beginning. */
export function listPage<T extends { id: string }>(all: T[], params: Form, url: string): List<T> {
  const limit = Math.min(integer(params, 'limit') ?? DEFAULT_LIMIT, MAX_LIMIT)
  const after = text(params, 'starting_after')
  const rest = all.slice(all.findIndex(item => item.id === after) + 1)
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url }
}

/**
 * A test for the `created` filter: an exact second, or `gt`, `gte`, `lt` and `lte`. Passes everything when it
 * is absent.
 */
export function createdWithin(params: Form): (item: { created: number }) => boolean {
  const range = nested(params, 'created')
  const exactly = integer(params, 'created')
  const after = Math.max(integer(range, 'gte') ?? 0, (integer(range, 'gt') ?? -1) + 1)
  const before = Math.min(integer(range, 'lte') ?? Infinity, (integer(range, 'lt') ?? Infinity) - 1)
  return ({ created }) => (exactly === null || created === exactly) && created >= after && created <= before
}

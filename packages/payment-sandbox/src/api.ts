import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { newId, nowSeconds } from './clock.js'
import type { EventCause } from './event.js'
import {
  type Answer,
  ApiError,
  canonicalForm,
  type Form,
  type List,
  parseForm,
  type ReceivedRequest,
  type SavedAnswer,
  textList,
} from './http.js'
import { requireKnownParameters } from './parameters.js'
import type { State } from './state.js'

interface ApiCall {
  /** The value of `:id` in the path; empty when the route has none. */
  id: string
  params: Form
  cause: EventCause
}

export type ApiRoute = [method: string, path: string, handle: (call: ApiCall) => object]

export class ApiRouter {
  constructor(private readonly routes: ApiRoute[]) {}

  /**
   * Runs the route's handler. A refusal from it is returned as an answer, which the idempotency key then
   * repeats. A bad parameter is thrown instead: Stripe saves no answer when a request fails validation.
   */
  run(request: ReceivedRequest, cause: EventCause): Answer {
    const [id, [method, path, handle]] = this.find(request)
    const params = parseForm(request.method === 'POST' ? request.body : request.query)
    requireKnownParameters(method, path, params)
    try {
      return { status: 200, body: handle({ id, params, cause }) }
    } catch (error) {
      if (error instanceof ApiError && !error.isBadParameter) return error.answer()
      throw error
    }
  }

  private find({ method, path }: ReceivedRequest): [id: string, route: ApiRoute] {
    for (const route of this.routes) {
      const [routeMethod, pattern] = route
      const id = method === routeMethod ? idIn(path, pattern) : null
      if (id !== null) return [id, route]
    }
    throw new ApiError(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path}).`)
  }
}

/** The value of `:id` (empty when the pattern has none), or null when the path does not match. */
function idIn(path: string, pattern: string): string | null {
  const names = pattern.split('/')
  const segments = path.split('/')
  if (segments.length !== names.length) return null
  const isMatch = names.every((name, index) =>
    name === ':id' ? segments[index] !== '' : name === segments[index],
  )
  return isMatch ? decode(segments[names.indexOf(':id')] ?? '') : null
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

/**
 * How every API call goes wrong while the fault is set. Only `slow`, `late-answer` and `answer-then-reset`
 * carry out the call.
 * - `refuse`: the connection is reset at once
 * - `hang`: there is never an answer; the idempotency key stays in use until the client hangs up
 * - `error-500`, `rate-limit`: Stripe's 500 and 429
 * - `slow`: the call starts after a delay, even if the client has hung up by then
 * - `late-answer`: the call is carried out at once, but its answer is delayed
 * - `answer-then-reset`: the call is carried out and its answer saved, but the connection is reset instead of
 *   answering
 */
export const FAULTS = [
  'refuse',
  'hang',
  'slow',
  'late-answer',
  'error-500',
  'rate-limit',
  'answer-then-reset',
] as const
export type Fault = (typeof FAULTS)[number]

/** The error that the fault answers with, or null when the fault is not an error answer. */
function faultError(fault: Fault | null): ApiError | null {
  if (fault === 'error-500') return new ApiError(500, 'api_error', 'An unknown error occurred')
  if (fault !== 'rate-limit') return null
  return new ApiError(429, 'invalid_request_error', 'Request rate limit exceeded.', 'rate_limit')
}

// https://docs.stripe.com/api/idempotent_requests: keys can be removed after they are at least 24 hours old.
const LIFETIME_SECONDS = 24 * 60 * 60

/** Makes retries safe, by the rules of https://docs.stripe.com/api/idempotent_requests. */
export class IdempotencyKeys {
  private readonly inProgress = new Map<string, string>()

  constructor(private readonly state: State) {}

  /**
   * The saved answer when this request was answered before. Otherwise null, and the key is in use until
   * `save` or `release`. Throws 400 idempotency_error when the key was used for a different request, and 409
   * while the first request is in progress.
   */
  claim(key: string, request: string): SavedAnswer | null {
    const requestHash = createHash('sha256').update(request).digest('base64url')
    const stored = this.state.answers.get(key)
    const live = stored && stored.savedAt + LIFETIME_SECONDS > nowSeconds() ? stored : null
    const before = live?.requestHash ?? this.inProgress.get(key)
    if (before !== undefined && before !== requestHash) throw keyReused(key)
    if (live) return live
    if (before !== undefined) throw keyInUse(key)
    this.inProgress.set(key, requestHash)
    return null
  }

  /** Whether a request with this key is in progress. */
  isInProgress(key: string | null): boolean {
    return key !== null && this.inProgress.has(key)
  }

  /** Saves the answer under its key, and drops expired answers. */
  save(key: string, answer: Answer, requestId: string): void {
    const requestHash = this.inProgress.get(key) ?? ''
    this.release(key)
    const now = nowSeconds()
    // A copy: the object in the answer changes later, for example when it is paid; the saved answer must not.
    this.state.answers.delete(key)
    this.state.answers.set(key, { ...structuredClone(answer), requestHash, savedAt: now, requestId })
    for (const [old, { savedAt }] of this.state.answers) {
      // Oldest first, so that a request does not have to scan all of them.
      if (savedAt + LIFETIME_SECONDS > now) break
      this.state.answers.delete(old)
    }
    this.state.changed()
  }

  /** Frees a key whose request left no answer. */
  release(key: string): void {
    this.inProgress.delete(key)
  }
}

function keyReused(key: string): ApiError {
  const message =
    'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
    `Try using a key other than '${key}' if you meant to execute a different request.`
  return new ApiError(400, 'idempotency_error', message)
}

function keyInUse(key: string): ApiError {
  const message = `There is currently another in-progress request using this Idempotent Key: ${key}.`
  return new ApiError(409, 'idempotency_error', message, 'idempotency_key_in_use')
}

/** An API request as it arrived, whether or not it was answered. */
export interface ApiRequest {
  method: string
  path: string
  query: string
  /** The form fields, still encoded. */
  body: string
  idempotencyKey: string | null
}

// A sandbox on a laptop may run for weeks; tests read only the last few.
const MAX_LOGGED_REQUESTS = 1_000

// A client that times out and retries at once may reach us before its closed connection does.
const HANG_UP_MS = 20

// Long enough for a person to notice, shorter than any client's timeout.
const DEFAULT_SLOW_MS = 1_000

/** The outer layer of the API: secret key, idempotency, faults, JSON. */
export class Api {
  readonly requests: ApiRequest[] = []
  fault: Fault | null = null
  /** When set, only requests that contain this id get the fault. */
  faultOnlyFor: string | null = null
  /** The delay of `slow` and `late-answer`, in milliseconds. */
  slowMs = DEFAULT_SLOW_MS

  constructor(
    private readonly secretKey: string,
    private readonly router: ApiRouter,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** Answers one request in JSON, or misbehaves as `fault` says. */
  async answer(request: ReceivedRequest, reply: ServerResponse): Promise<void> {
    const idempotencyKey = idempotencyKeyOf(request)
    const { method, path, query, body } = request
    this.log({ method, path, query, body, idempotencyKey })
    if (this.faultOf(request) === 'slow') await wait(this.slowMs, undefined, { ref: false })
    if (this.keys.isInProgress(idempotencyKey)) await wait(HANG_UP_MS)
    try {
      const answer = this.answerTo(request, reply, idempotencyKey)
      if (this.faultOf(request) === 'refuse' || this.faultOf(request) === 'answer-then-reset') reset(reply)
      else if (answer)
        sendJson(reply, this.faultOf(request) === 'late-answer' ? await this.later(answer) : answer)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      sendJson(reply, error.answer())
    }
  }

  private faultOf({ path, query, body }: ReceivedRequest): Fault | null {
    const { faultOnlyFor } = this
    return faultOnlyFor === null || [path, query, body].some(text => text.includes(faultOnlyFor))
      ? this.fault
      : null
  }

  /** Copies the answer, because the object in it may change before it is sent. */
  private later(answer: Answer): Promise<Answer> {
    return wait(this.slowMs, structuredClone(answer), { ref: false })
  }

  private log(request: ApiRequest): void {
    this.requests.push(request)
    if (this.requests.length > MAX_LOGGED_REQUESTS) this.requests.shift()
  }

  /** Null when the fault leaves the request unanswered. */
  private answerTo(request: ReceivedRequest, reply: ServerResponse, key: string | null): Answer | null {
    if (this.faultOf(request) === 'refuse') return null
    const requestId = newId('req_', 14)
    reply.setHeader('Request-Id', requestId)
    const refusal = faultError(this.faultOf(request)) ?? this.secretKeyError(request.headers.authorization)
    if (refusal) throw refusal
    const cause = { id: requestId, idempotency_key: key }
    if (key === null) return this.faultOf(request) === 'hang' ? null : this.router.run(request, cause)

    const saved = this.keys.claim(key, `${request.method} ${request.path} ${canonicalForm(request.body)}`)
    reply.setHeader('Idempotency-Key', key)
    if (saved) {
      reply.setHeader('Idempotent-Replayed', 'true')
      reply.setHeader('Original-Request', saved.requestId)
      return saved
    }
    if (this.faultOf(request) === 'hang') {
      reply.once('close', () => this.keys.release(key))
      return null
    }
    try {
      const answer = this.router.run(request, cause)
      this.keys.save(key, answer, requestId)
      return answer
    } finally {
      this.keys.release(key)
    }
  }

  private secretKeyError(authorization: string | undefined): ApiError | null {
    if (authorization === `Bearer ${this.secretKey}`) return null
    const message = authorization ? 'Invalid API Key provided.' : 'You did not provide an API key.'
    return new ApiError(401, 'invalid_request_error', message)
  }
}

/**
 * Null for anything but a POST: other methods ignore the header
 * (https://docs.stripe.com/api/idempotent_requests).
 */
function idempotencyKeyOf({ method, headers }: ReceivedRequest): string | null {
  const key = headers['idempotency-key']
  return method === 'POST' && typeof key === 'string' && key !== '' ? key : null
}

function sendJson(reply: ServerResponse, { status, body }: Answer): void {
  reply.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

function reset(reply: ServerResponse): void {
  reply.socket?.resetAndDestroy()
}

/**
 * Finds what a field refers to, by the field's name, or its path inside of the object. Null leaves the id in place: an old state file lacks
 * some objects.
 */
export type Finders = Record<string, (id: string) => object | null>

/**
 * A copy of the object in which each id that `expand[]` names is replaced by the object itself; throws 400
 * for a field that cannot be expanded. Source: https://docs.stripe.com/api/expanding_objects.
 */
export function expanded<T extends object>(object: T, params: Form, finders: Finders, prefix = ''): T {
  const copy = { ...object } as Record<string, unknown>
  for (const path of textList(params, 'expand')) {
    const field = path.startsWith(prefix) ? path.slice(prefix.length) : ''
    const find = Object.hasOwn(finders, field) ? finders[field] : undefined
    if (!find)
      throw ApiError.badParameter(
        'parameter_invalid',
        'expand',
        `This property cannot be expanded (${path}).`,
      )
    replace(copy, field.split('.'), find)
  }
  return copy as T
}

/** Replaces an id, perhaps inside of another object, of which it makes a copy. */
function replace(copy: Record<string, unknown>, [name, ...deeper]: string[], find: Finders[string]): void {
  const value = copy[name!]
  if (deeper.length > 0) {
    const inner = { ...(value as object) } as Record<string, unknown>
    replace(inner, deeper, find)
    copy[name!] = inner
  } else if (typeof value === 'string') copy[name!] = find(value) ?? value
}

/** Like `expanded`, for each object of a page, where a path begins with `data.`. */
export function expandedPage<T extends object>(page: List<T>, params: Form, finders: Finders): List<T> {
  return { ...page, data: page.data.map(object => expanded(object, params, finders, 'data.')) }
}

import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../http/answer.js'
import { ApiError } from '../http/api-error.js'
import { canonicalForm } from '../http/form.js'
import type { ReceivedRequest } from '../http/received-request.js'
import { newId } from '../state/ids.js'
import type { ApiRouter } from './api-router.js'
import { type Fault, faultError } from './fault.js'
import type { IdempotencyKeys } from './idempotency-keys.js'

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

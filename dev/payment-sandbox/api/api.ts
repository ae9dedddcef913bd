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

/** One API request that arrived, whatever became of it. */
export interface ApiRequest {
  method: string
  path: string
  query: string
  /** Form fields, as they came. */
  body: string
  idempotencyKey: string | null
}

// A laptop's sandbox may run for weeks; tests look at the last few.
const MAX_LOGGED_REQUESTS = 1_000

// A client that gives up on a request and asks again at once may be heard before its hanging up is.
const HANG_UP_MS = 20

// Noticed by a person, and below the patience of any client.
const DEFAULT_SLOW_MS = 1_000

/** The edge of the API: secret key, idempotency, faults, JSON. */
export class Api {
  readonly requests: ApiRequest[] = []
  fault: Fault | null = null
  /** An id: then only requests that name it go wrong. */
  faultOnlyFor: string | null = null
  /** How long `slow` and `late-answer` take. */
  slowMs = DEFAULT_SLOW_MS

  constructor(
    private readonly secretKey: string,
    private readonly router: ApiRouter,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** Answers one request in JSON, or does what `fault` says. */
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
    return faultOnlyFor === null || [path, query, body].some(part => part.includes(faultOnlyFor))
      ? this.fault
      : null
  }

  /** A copy: what the answer shows goes on changing. */
  private later(answer: Answer): Promise<Answer> {
    return wait(this.slowMs, structuredClone(answer), { ref: false })
  }

  private log(request: ApiRequest): void {
    this.requests.push(request)
    if (this.requests.length > MAX_LOGGED_REQUESTS) this.requests.shift()
  }

  /** Null when there is to be no answer. */
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

/** Only a POST has one that counts: https://docs.stripe.com/api/idempotent_requests. */
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

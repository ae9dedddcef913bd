import type { EventCause } from '../events/event.js'
import type { Answer } from '../http/answer.js'
import { ApiError } from '../http/api-error.js'
import { parseForm } from '../http/form.js'
import type { ReceivedRequest } from '../http/received-request.js'
import type { ApiRoute } from './api-route.js'

export class ApiRouter {
  constructor(private readonly routes: ApiRoute[]) {}

  /**
   * Does what the request asks. A refusal of what exists or not is an answer too, as it is kept for the
   * idempotency key; a bad parameter is thrown, because Stripe keeps nothing when it never began to work.
   */
  run(request: ReceivedRequest, cause: EventCause): Answer {
    const [id, handle] = this.find(request)
    const params = parseForm(request.method === 'POST' ? request.body : request.query)
    try {
      return { status: 200, body: handle({ id, params, cause }) }
    } catch (error) {
      if (error instanceof ApiError && !error.isBadParameter) return error.answer()
      throw error
    }
  }

  private find({ method, path }: ReceivedRequest): [id: string, handle: ApiRoute[2]] {
    for (const [routeMethod, pattern, handle] of this.routes) {
      const id = method === routeMethod ? idIn(path, pattern) : null
      if (id !== null) return [id, handle]
    }
    throw new ApiError(404, 'invalid_request_error', `Unrecognized request URL (${method}: ${path}).`)
  }
}

/** What stands for `:id` (empty when the pattern has none), or null when the path does not fit. */
function idIn(path: string, pattern: string): string | null {
  const names = pattern.split('/')
  const parts = path.split('/')
  if (parts.length !== names.length) return null
  const fits = names.every((name, index) => (name === ':id' ? parts[index] !== '' : name === parts[index]))
  return fits ? decoded(parts[names.indexOf(':id')] ?? '') : null
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

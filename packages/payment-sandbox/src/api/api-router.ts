import type { EventCause } from '../events/event.js'
import type { Answer } from '../http/answer.js'
import { ApiError } from '../http/api-error.js'
import { parseForm } from '../http/form.js'
import type { ReceivedRequest } from '../http/received-request.js'
import type { ApiRoute } from './api-route.js'
import { requireKnownParameters } from './parameters.js'

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

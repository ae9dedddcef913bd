import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from './caller.js'

// Kept beside the request, not on it: each framework has its own rules for what may be added there.
const callers = new WeakMap<object, Caller>()

export function setCaller(request: object, caller: Caller): void {
  callers.set(request, caller)
}

/** Who is calling. Throws when no guard ran before this handler, since then no caller was verified. */
export function callerOf(request: object): Caller {
  const caller = callers.get(request)
  if (!caller) throw new Error('No guard of @mainstay-auth/verify stands before this handler')
  return caller
}

/** A request of Node's, over HTTP/1 or HTTP/2, or what stands for one in tests and serverless functions. */
interface Headed {
  readonly headers: IncomingHttpHeaders
  readonly headersDistinct?: NodeJS.Dict<string[]>
}

/**
 * The values of a request's Authorization header, undefined when there is none. `headers` has only the first of
 * several, but HTTP/2 requests of Node and injected ones have nothing else.
 */
export function authorizationOf({ headers, headersDistinct }: Headed): readonly string[] | undefined {
  const { authorization } = headers
  return headersDistinct?.authorization ?? (authorization === undefined ? undefined : [authorization])
}

import type { IncomingHttpHeaders } from 'node:http'

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

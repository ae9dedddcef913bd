import type { FastifyRequest } from 'fastify'

/** Node silently joins or drops repeated headers; this does not. */
export type SingleHeader =
  | { readonly kind: 'absent' }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'one'; readonly value: string }

const ABSENT: SingleHeader = { kind: 'absent' }
const REPEATED: SingleHeader = { kind: 'repeated' }

/** The header `name` (in lower case) as received: absent, sent once, or more than once. */
export function singleHeader(request: FastifyRequest, name: string): SingleHeader {
  if (request.headers[name] === undefined) return ABSENT
  const { rawHeaders } = request.raw
  let value: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const candidate = rawHeaders[i] as string
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
    if (value !== undefined) return REPEATED
    value = rawHeaders[i + 1]
  }
  return value === undefined ? ABSENT : { kind: 'one', value }
}

/** Every value of the cookie with this name, as sent; cookie parsers silently keep one of several. */
export function cookieValues(request: FastifyRequest, name: string): string[] {
  const { cookie } = request.headers
  if (!cookie) return []
  return cookie
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
}

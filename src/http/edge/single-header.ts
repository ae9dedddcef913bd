import type { FastifyRequest } from 'fastify'

/** Node silently joins or drops repeated headers; this does not. */
export type SingleHeader =
  | { readonly kind: 'absent' }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'one'; readonly value: string }

const ABSENT: SingleHeader = { kind: 'absent' }
const REPEATED: SingleHeader = { kind: 'repeated' }

/** The header `name` (lower case) as received: absent, sent once, or more than once. */
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

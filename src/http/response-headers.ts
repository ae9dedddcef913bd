import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * On every answer: nothing of an API is to be framed, sniffed, embedded or kept (OWASP REST Security, ASVS 3.4).
 * `Vary: Origin` because the CORS headers depend on it, also where there are none (Fetch, CORS and HTTP caches).
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  Vary: 'Origin',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

/** What the API answers may be of one user only. Routes that are public and stable set their own. */
const NO_STORE = 'no-store'

export function setResponseHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS).header('Cache-Control', NO_STORE).header('X-Request-Id', request.id)
}

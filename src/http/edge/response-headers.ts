import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * For every answer: an API is never framed, sniffed, embedded or cached (OWASP REST Security, ASVS 3.4).
 * `Vary: Origin` because the CORS headers depend on it, even when there are none (Fetch, CORS and HTTP
 * caches).
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  Vary: 'Origin',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}

/** Answers may belong to one user. Public, stable routes set their own header. */
const NO_STORE = 'no-store'

export function setResponseHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS).header('Cache-Control', NO_STORE).header('X-Request-Id', request.id)
}

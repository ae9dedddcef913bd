import type { FastifyRequest } from 'fastify'

/** Every value of the cookie of this name, as sent; parsers silently keep one of several. */
export function cookieValues(request: FastifyRequest, name: string): string[] {
  const { cookie } = request.headers
  if (!cookie) return []
  return cookie
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
}

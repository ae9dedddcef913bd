import type { FastifyInstance } from 'fastify'
import { isForPeople } from '../../src/pages/serve-sites.js'

/**
 * In development one server has several names (localhost, 127.0.0.1), but pages and cookies work on only one
 * of them: browsers are redirected there.
 */
export function redirectToOrigin(server: FastifyInstance, origin: string): void {
  const { host } = new URL(origin)
  server.addHook('onRequest', async (request, reply) => {
    const isWrongHost = request.is404 && request.method === 'GET' && request.headers.host !== host
    return isWrongHost && isForPeople(request) ? reply.redirect(`${origin}${request.url}`, 303) : undefined
  })
}

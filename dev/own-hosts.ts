import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { isForPeople } from '../src/pages/serve-sites.js'
import { hostOf, isLoopback } from '../src/platform/config/origin.js'
import type { Settings } from '../src/platform/config/settings.js'

/** What only development has: the mail outbox, the API reference and the documentation. */
const OF_DEVELOPMENT = /^\/(?:dev|docs|api\/docs)(?:[/?-]|$)/

/**
 * Refuses pages of other sites what only development has (421): a foreign name that leads to this machine (DNS
 * rebinding) has an origin of its own, in which any page could read the mails with their links. So could a satellite,
 * which CORS lets read answers.
 */
export function refuseOtherHosts(
  server: FastifyInstance,
  { publicUrl, mainOrigin }: Pick<Settings, 'publicUrl' | 'mainOrigin'>,
): void {
  const own = [publicUrl, mainOrigin].map(url => new URL(url))
  const hostnames = new Set(own.map(({ hostname }) => hostname))
  const origins = new Set(own.map(({ origin }) => origin))
  server.addHook('onRequest', async ({ url, routeOptions, headers: { host, origin } }, reply) => {
    // The router decodes what is not matched here, as in `/%64ev/mails`.
    if (![url, routeOptions.url ?? ''].some(each => OF_DEVELOPMENT.test(each))) return
    if (isOwnHost(host, hostnames) && (origin === undefined || origins.has(origin))) return
    return reply.status(421).send('In development, only this machine is answered here')
  })
}

/** Addresses are, because nobody can make one lead elsewhere. */
function isOwnHost(host: string | undefined, own: ReadonlySet<string>): boolean {
  const url = `http://${host}`
  if (!host || !URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return own.has(hostname) || isLoopback(hostname) || isIP(hostOf({ hostname })) !== 0
}

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

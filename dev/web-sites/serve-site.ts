import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PACKAGE_ROOT } from '../../src/config/package-root.js'
import { SECURITY_HEADERS } from '../../src/http/edge/edge.js'
import { type Places, pagePolicy, pageWith } from './page.js'

/** Where `npm run build` puts the sites. */
const BUILT_FOLDER = 'web/dist'

export interface Site {
  readonly name: 'main' | 'satellite'
  /** Where its pages work; at another name of the same server the browser is sent there. */
  readonly origin: string
  /** Of its pages; each is the one built page, which finds out what to show. */
  readonly paths: readonly string[]
  readonly places: Places
}

/** The paths of each site's pages; web/main/app.tsx and web/satellite/app.tsx know the same. */
export const PAGE_PATHS: Readonly<Record<Site['name'], readonly string[]>> = {
  main: [
    ...['/', '/login', '/handoff', '/signup', '/subscribe', '/account', '/account/*'],
    ...['/forgot-password', '/verify-email', '/reset-password', '/accept-invitation'],
    ...['/confirm-email', '/undo-email', '/not-me', '/accept-transfer', '/stop-transfer'],
    ...['/factor-reset', '/stop-factor-reset'],
  ],
  satellite: ['/', '/handoff-callback', '/data', '/reports', '/security'],
}

/** The page of the main site goes on by itself only if it is told that the satellite has led there. */
const REFERRER_POLICY: Readonly<Record<Site['name'], string>> = {
  main: 'no-referrer',
  satellite: 'strict-origin',
}

/**
 * A hand-off passes through these: no copy of theirs may come up again, and no window that opened one may
 * reach into it.
 */
const HANDOFF_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/handoff': { 'Cache-Control': 'no-store', 'Cross-Origin-Opener-Policy': 'same-origin' },
  '/handoff-callback': { 'Cache-Control': 'no-store' },
}

/**
 * Serves a built site. Its page is read for each request, so that a new build shows without a restart; its
 * other files have the hash of their content in their names and may be kept for ever. An address that is
 * nothing is a page that says so, for people; programs get the answer of the API.
 */
export async function serveSite(
  server: FastifyInstance,
  { name, origin, paths, places }: Site,
): Promise<void> {
  const { host } = new URL(origin)
  const folder = join(PACKAGE_ROOT, BUILT_FOLDER, name)
  const policy = pagePolicy(places, { hasLogos: name === 'main' })
  const headers = {
    ...SECURITY_HEADERS,
    'Referrer-Policy': REFERRER_POLICY[name],
    'Content-Security-Policy': policy,
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
  }
  const answer = async (request: FastifyRequest, reply: FastifyReply, status = 200) => {
    if (request.host !== host) return reply.redirect(`${origin}${request.url}`, 303)
    const html = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null)
    if (html === null) return reply.status(503).send('These pages are not built yet: npm run build:web')
    return reply
      .status(status)
      .headers({ ...headers, ...HANDOFF_HEADERS[request.routeOptions.url ?? ''] })
      .send(pageWith(html, places))
  }
  for (const path of paths) server.get(path, (request, reply) => answer(request, reply))
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404 && isForPeople(request)) return answer(request, reply, 404)
    return undefined
  })
  await server.register(staticFiles, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    maxAge: '365d',
    immutable: true,
  })
}

/** A browser that goes to an address, not a script that asks for something. */
function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  const isPage = !/^\/(api|health|assets|\.well-known)(\/|$)/.test(url)
  return method === 'GET' && isPage && (headers.accept ?? '').includes('text/html')
}

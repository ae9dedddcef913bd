import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PACKAGE_ROOT, packageVersion } from '../platform/config/package-root.js'
import type { Site } from './site.js'

/** Where `npm run build:web` puts the client files for pages without a build step. */
const BUILT_FOLDER = 'web/dist/client'

/**
 * Serves this release's client at `/client/<version>/<file>`, cacheable forever, and the hashes of its files,
 * in the form of the `integrity` attribute, at `/client/<version>/integrity.json`. Any other version is 404:
 * a page names the release that it was made with, so it notices an upgrade instead of running something else.
 */
export function serveClientFiles(server: FastifyInstance): void {
  const files = builtFiles()
  const hashes = Object.fromEntries(
    [...files].map(([name, content]) => [
      name,
      `sha384-${createHash('sha384').update(content).digest('base64')}`,
    ]),
  )
  files.set('integrity.json', Buffer.from(JSON.stringify(hashes)))
  server.get<{ Params: { file: string } }>(`/client/${packageVersion()}/:file`, ({ params }, reply) => {
    const content = files.get(params.file)
    if (!content) return reply.callNotFound()
    const type = params.file.endsWith('.json') ? 'application/json' : 'text/javascript'
    return reply
      .header('Content-Type', `${type}; charset=utf-8`)
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .send(content)
  })
}

/** Empty where the pages are not built. */
function builtFiles(): Map<string, Buffer> {
  const folder = join(PACKAGE_ROOT, BUILT_FOLDER)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return new Map(names.map(name => [name, readFileSync(join(folder, name))]))
}

/** `/assets/<name>`: a single name, as the build produces it. No folder, no escape, no leading dot. */
const ASSET = /^\/assets\/([\w-][\w.-]*)$/
/** Password managers lead people there (https://www.w3.org/TR/change-password-url/). */
const CHANGE_PASSWORD = '/.well-known/change-password'
/** Only programs request these. */
const OF_PROGRAMS = /^\/(api|client|health|assets|\.well-known)(\/|$)/

/**
 * Serves built sites, each at the hosts and to the clients for which `siteAt` returns it; ignores any other
 * request. Pages are served only where the server has no route of its own, so no page can shadow one. The
 * files of a site have a content hash in their names and may be cached forever. A page's address with a slash
 * at its end leads to the page. An unknown address gets a page that says so, for people; programs get the
 * API's response.
 */
export async function serveSites(
  server: FastifyInstance,
  siteAt: (host: string, request: FastifyRequest) => Site | null,
): Promise<void> {
  await server.register(staticFiles, {
    serve: false,
    index: false,
    maxAge: '365d',
    immutable: true,
    // Compressed at build time. API responses and pages belong to one user, so they are not compressed.
    preCompressed: true,
  })
  server.addHook('onRequest', async (request, reply) => {
    const host = hostOf(request)
    const site = host === null ? null : siteAt(host, request)
    return site ? answer(site, request, reply) : undefined
  })
}

/**
 * The host that a page was requested from; null when the request cannot be for a page. Only the Host header
 * counts, because a browser cannot be made to forge it: where a proxy passes X-Forwarded-Host on, it is
 * whatever a client wrote.
 */
function hostOf({ is404, method, url, headers }: FastifyRequest): string | null {
  const isPossible = is404 && (method === 'GET' || method === 'HEAD') && url.startsWith('/')
  return isPossible ? (headers.host ?? null) : null
}

async function answer(site: Site, request: FastifyRequest, reply: FastifyReply) {
  const path = pathOf(request)
  const asset = ASSET.exec(path)?.[1]
  if (asset) return (await site.hasAsset(asset)) ? reply.sendFile(asset, site.assetsFolder) : undefined
  if (path === CHANGE_PASSWORD && site.changePasswordUrl)
    return reply.header('cache-control', 'no-store').redirect(site.changePasswordUrl, 303)
  const bare = path.slice(0, -1)
  // Only pages have such an address, so it can never begin with "//", which would name another host.
  if (path.endsWith('/') && site.hasPage(bare))
    return reply.header('cache-control', 'no-store').redirect(bare + request.url.slice(path.length), 308)
  if (site.hasPage(path)) return sendPage(site, request, reply, 200)
  return isForPeople(request) ? sendPage(site, request, reply, 404) : undefined
}

async function sendPage(site: Site, request: FastifyRequest, reply: FastifyReply, status: number) {
  const page = await site.page(request.headers.host as string, pathOf(request))
  if (page === null) return reply.status(503).send('These pages are not built: npm run build:web')
  const { html, headers } = page
  // A hash of what is sent, addresses included: a cache that mixes up two sites gets the right page again.
  const tag = `"${createHash('sha256').update(html).digest('base64url')}"`
  reply.headers(headers)
  if (status !== 200 || headers['cache-control'] === 'no-store') return reply.status(status).send(html)
  reply.header('ETag', tag)
  return isUnused(request, tag) ? reply.status(304).send() : reply.send(html)
}

/** Whether the client already has this page. Proxies that compress mark the tag as weak (RFC 9110 §13.1.2). */
function isUnused({ headers }: FastifyRequest, tag: string): boolean {
  const tags = headers['if-none-match']?.split(',') ?? []
  return tags.some(each => each.trim().replace(/^W\//, '') === tag)
}

/** A browser that navigates to an address, not a script that makes a request. */
export function isForPeople(request: FastifyRequest): boolean {
  return !OF_PROGRAMS.test(pathOf(request)) && (request.headers.accept ?? '').includes('text/html')
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] as string
}

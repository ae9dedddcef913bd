import { createHash } from 'node:crypto'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Site } from './site.js'

/** `/assets/<name>`: one name, as the build gives them. No folder, no escape, no leading dot. */
const ASSET = /^\/assets\/([\w-][\w.-]*)$/
/** A satellite's host is a customer's, and what is below it is not ours: it may have no https. */
const FOR_THIS_HOST = 'max-age=31536000'
/** Whoever asks for these is a program. */
const OF_PROGRAMS = /^\/(api|client|health|assets|\.well-known)(\/|$)/

/**
 * Serves built sites, each at the hosts, and to whom, `siteAt` gives it; any other request is left
 * alone. Pages are only where the server has no route of its own, so no page can take the place of one. The
 * files of a site have the hash of their content in their names and may be kept for ever. An address that is
 * nothing is a page that says so, for people; programs get the answer of the API.
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
    // As the build has compressed them. What the API and the pages say is somebody's, and is not compressed.
    preCompressed: true,
  })
  server.addHook('onRequest', async (request, reply) => {
    const host = hostOf(request)
    const site = host === null ? null : siteAt(host, request)
    return site ? answer(site, request, reply) : undefined
  })
  // Of every answer there, the API's too: a refusal may come before the hook above.
  server.addHook('onSend', (request, reply, _, done) => {
    const { host } = request.headers
    if (host && siteAt(host, request)?.name === 'satellite')
      reply.header('Strict-Transport-Security', FOR_THIS_HOST)
    done()
  })
}

/**
 * The host that a page was asked for; null for what can be no page. Only the Host header counts, which a
 * browser cannot be made to forge: X-Forwarded-Host is whatever a client has written where a proxy passes it on.
 */
function hostOf({ is404, method, url, headers }: FastifyRequest): string | null {
  const isPossible = is404 && (method === 'GET' || method === 'HEAD') && url.startsWith('/')
  return isPossible ? (headers.host ?? null) : null
}

async function answer(site: Site, request: FastifyRequest, reply: FastifyReply) {
  const path = pathOf(request)
  const asset = ASSET.exec(path)?.[1]
  if (asset) return (await site.hasAsset(asset)) ? reply.sendFile(asset, site.assetsFolder) : undefined
  if (site.hasPage(path)) return sendPage(site, request, reply, 200)
  return isForPeople(request) ? sendPage(site, request, reply, 404) : undefined
}

async function sendPage(site: Site, request: FastifyRequest, reply: FastifyReply, status: number) {
  const page = await site.page(request.headers.host as string, pathOf(request))
  if (page === null) return reply.status(503).send('These pages are not built: npm run build:web')
  const { html, headers } = page
  // Of what is sent, with its addresses: a cache that mixes up two sites is given the right page again.
  const tag = `"${createHash('sha256').update(html).digest('base64url')}"`
  reply.headers(headers)
  if (status !== 200 || headers['cache-control'] === 'no-store') return reply.status(status).send(html)
  reply.header('ETag', tag)
  return isKept(request, tag) ? reply.status(304).send() : reply.send(html)
}

/** Whether the client has this page. Proxies that compress mark a tag as weak (RFC 9110 §13.1.2). */
function isKept({ headers }: FastifyRequest, tag: string): boolean {
  const tags = headers['if-none-match']?.split(',') ?? []
  return tags.some(each => each.trim().replace(/^W\//, '') === tag)
}

/** A browser that goes to an address, not a script that asks for something. */
export function isForPeople(request: FastifyRequest): boolean {
  return !OF_PROGRAMS.test(pathOf(request)) && (request.headers.accept ?? '').includes('text/html')
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] as string
}

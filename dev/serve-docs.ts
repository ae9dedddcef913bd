import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { PACKAGE_ROOT } from '../src/platform/config/package-root.js'

/** What it is built from, which the package does not contain. */
const SOURCE_FOLDER = 'docs/.vitepress'
/** Where `npm run build:docs` puts the site. It appears when all of it is there. */
const BUILT_FOLDER = 'docs/.vitepress/dist'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The page reloads itself. */
const NOT_BUILT = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Mainstay</title>
<p>The documentation is being built, which takes some ten seconds.`
const NOT_BUILT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'retry-after': '2',
  refresh: '2',
}

/** Names of files there contain a hash of their content. */
const IMMUTABLE = /^assets\//

interface DocsFile {
  readonly content: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** Serves the documentation at /docs/, with 503 until it is built; false in the package, which has none. */
export function serveDocs(server: FastifyInstance, root = PACKAGE_ROOT): boolean {
  if (!existsSync(join(root, SOURCE_FOLDER))) return false
  const folder = join(root, BUILT_FOLDER)
  // Read at the first request, because most starts are not for the documentation.
  let files: ReadonlyMap<string, DocsFile> | undefined
  server.get('/docs', (_, reply) => reply.redirect('/docs/', 308))
  server.get<{ Params: { '*': string } }>('/docs/*', ({ params }, reply) => {
    if (!files && !existsSync(folder)) return reply.status(503).headers(NOT_BUILT_HEADERS).send(NOT_BUILT)
    files ??= filesIn(folder)
    const path = params['*']
    // The page of a folder has relative links.
    if (files.has(`${path}/`)) return reply.redirect(`/docs/${path}/`, 308)
    const file = files.get(path)
    return file ? send(reply, file) : send(reply.status(404), files.get('404') as DocsFile)
  })
  return true
}

function send(reply: FastifyReply, { content, headers }: DocsFile): FastifyReply {
  return reply.headers(headers).send(content)
}

/**
 * By path below /docs/; pages without `.html`, the index of a folder under the folder's path with a trailing
 * slash.
 */
function filesIn(folder: string): ReadonlyMap<string, DocsFile> {
  const files = new Map<string, DocsFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || !type) continue
    const file = join(entry.parentPath, entry.name)
    const path = relative(folder, file)
    const content = readFileSync(file)
    const name = path.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')
    files.set(name, { content, headers: headersOf(path, type, content) })
  }
  return files
}

function headersOf(path: string, type: string, content: Buffer): Record<string, string> {
  return {
    'content-type': type,
    'cache-control': IMMUTABLE.test(path) ? 'max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': policyOf(path, content),
  }
}

/** Inline scripts are allowed by their hashes; code colours are in style attributes. */
function policyOf(path: string, content: Buffer): string {
  if (!path.endsWith('.html')) return "default-src 'none'"
  const scripts = [...content.toString().matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = scripts.map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

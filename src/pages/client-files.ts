import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { PACKAGE_ROOT, packageVersion } from '../platform/config/package-root.js'

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

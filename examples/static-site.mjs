import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { fastify } from 'fastify'

const CLIENT = new URL('../packages/client/dist/', import.meta.url)
/** What a copy of the site would have beside its page. */
const CLIENT_FILES = ['mainstay.js', 'mainstay-handoff.js']

/**
 * Serves a folder as the whole of a satellite, with the client's files beside its page. `config.js` is answered with the
 * real addresses in place of those in the file.
 */
export async function serveSatellite(folder, { apiUrl, mainUrl, port }) {
  const server = fastify({ forceCloseConnections: true })
  server.addHook('onSend', async (_, reply) => {
    reply.headers({
      'content-security-policy': `default-src 'self'; img-src 'self' data:; connect-src ${apiUrl}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
      'referrer-policy': 'strict-origin',
      'x-content-type-options': 'nosniff',
    })
  })
  await server.register(fastifyStatic, { root: fileURLToPath(folder), cacheControl: false })
  for (const file of CLIENT_FILES)
    server.get(`/${file}`, (_, reply) => reply.sendFile(file, fileURLToPath(CLIENT)))
  server.get('/config.js', (_, reply) =>
    reply
      .type('text/javascript')
      .send(
        `export const API_URL = ${JSON.stringify(apiUrl)}\nexport const MAIN_URL = ${JSON.stringify(mainUrl)}\n`,
      ),
  )
  // People come back from the main site to the same page, with a code that no cache may keep.
  server.get('/handoff-callback', (_, reply) =>
    reply.header('cache-control', 'no-store').sendFile('index.html'),
  )
  await server.listen({ host: '127.0.0.1', port })
}

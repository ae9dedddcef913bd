import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificate } from './certificate.js'
import type { Pages } from './pages.js'

/** A file as it is answered. */
export interface ServedFile {
  /** Its media type, of a text. */
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A server that stands for these origins; `fileAt` says what is at a path of one of them, null for nothing. At `/go?to=…` each
 * redirects to wherever that says, as many sites do.
 */
export async function serveFiles(
  { certFile, keyFile }: Certificate,
  origins: readonly string[],
  fileAt: (origin: string, path: string) => ServedFile | null,
): Promise<Pages> {
  const server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) })
  server.on('request', ({ url = '', headers }, response) => {
    const { origin, pathname, searchParams } = new URL(url, `https://${headers.host}`)
    const file = fileAt(origin, pathname)
    const to = pathname === '/go' && searchParams.get('to')
    if (to) response.writeHead(302, { Location: to }).end()
    else if (file)
      response
        .writeHead(200, { 'Content-Type': `${file.type}; charset=utf-8`, ...file.headers })
        .end(file.body)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ports: Object.fromEntries(origins.map(origin => [origin, port])),
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Certificate } from './certificate.js'
import { API, MAIN, ORIGINS, SHOP_ONE, SHOP_TWO } from './hosts.js'
import type { Pages } from './pages.js'

const HTML = '<!doctype html><title>A page</title><script type="module" src="/page.js"></script>'
const CLIENT = join(__dirname, '../../../packages/client/src/index.ts')

/** What a page of each origin runs; one that is not here runs nothing of ours. */
const SCRIPTS: Readonly<Record<string, string>> = {
  [MAIN]: `mainClient({ baseUrl: '${API}' })`,
  [SHOP_ONE]: `satelliteClient({ baseUrl: '${API}', storage: itemStorage(() => localStorage) })`,
  [SHOP_TWO]: `satelliteClient({ baseUrl: '${API}', storage: itemStorage(() => sessionStorage) })`,
}

/**
 * The smallest page that every origin could have, with the client as `client` where it has one. Anybody's page has the
 * same strict CSP as ours would, but for those that are not ours, who stop at nothing.
 */
export async function startPlainPages({ certFile, keyFile }: Certificate): Promise<Pages> {
  const bundle = await bundleClient()
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  server.on('request', ({ url, headers }, response) => {
    const make = SCRIPTS[`https://${headers.host}`]
    if (make) response.setHeader('Content-Security-Policy', `default-src 'self'; connect-src ${API}`)
    if (url === '/mainstay.js') send(response, 'text/javascript', bundle)
    else if (url === '/page.js') send(response, 'text/javascript', make ? scriptOf(make) : '')
    else if (url === '/') send(response, 'text/html', HTML)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ports: Object.fromEntries(ORIGINS.map(origin => [origin, port])),
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(body)
}

function scriptOf(make: string): string {
  return `import { itemStorage, mainClient, satelliteClient } from '/mainstay.js'
    globalThis.client = ${make}
    globalThis.changes = []
    client.onChange(({ status }) => changes.push(status))
    client.refresh().catch(() => {})`
}

/** As `packages/client/bundle.mjs` makes it; not from dist, which another test may be building. */
async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [CLIENT],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]!.text
}

import { join } from 'node:path'
import { build } from 'esbuild'
import type { Certificate } from './certificate.js'
import { API, MAIN, ORIGINS, SHOP_ONE, SHOP_TWO } from './hosts.js'
import type { Pages } from './pages.js'
import { serveFiles } from './served-files.js'

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
export async function startPlainPages(certificate: Certificate): Promise<Pages> {
  const bundle = await bundleClient()
  return serveFiles(certificate, ORIGINS, (origin, path) => {
    const make = SCRIPTS[origin]
    const policy = make && { 'Content-Security-Policy': `default-src 'self'; connect-src ${API}` }
    const headers = policy ?? {}
    const script = (body: string) => ({ type: 'text/javascript', body, headers })
    if (path === '/mainstay.js') return script(bundle)
    if (path === '/page.js') return script(make ? scriptOf(make) : '')
    return path === '/' ? { type: 'text/html', body: HTML, headers } : null
  })
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

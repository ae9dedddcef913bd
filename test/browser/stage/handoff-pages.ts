import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { startBuiltPages } from './built-pages.js'
import type { Certificate } from './certificate.js'
import { API, MAIN, SHOP_THREE, SHOP_TWO } from './hosts.js'
import type { Pages } from './pages.js'
import { startPlainPages } from './plain-pages.js'

const ROOT = join(__dirname, '../../..')
const CLIENT = join(ROOT, 'packages/client/src')
const PAGE_PATHS = ['/', '/handoff-callback']

/**
 * The real pages; on two satellites the pages of docs/integrate.md, as somebody has copied them; and pages that are
 * nobody's friends on the other origins.
 */
export async function startHandoffPages(certificate: Certificate): Promise<Pages> {
  const all = await Promise.all([
    startPlainPages(certificate),
    startBuiltPages(certificate),
    startPagesOfDocs(certificate),
  ])
  return {
    ports: Object.assign({}, ...all.map(({ ports }) => ports)),
    stop: async () => void (await Promise.all(all.map(pages => pages.stop()))),
  }
}

async function startPagesOfDocs({ certFile, keyFile }: Certificate): Promise<Pages> {
  const docs = await readFile(join(ROOT, 'docs/integrate.md'), 'utf8')
  const files: Readonly<Record<string, string>> = {
    [SHOP_TWO]: codeUnder('Through the main site in plain HTML', docs),
    [SHOP_THREE]: '<!doctype html><div></div><script type="module" src="/app.js"></script>',
    '/mainstay.js': await bundle({ entryPoints: [join(CLIENT, 'index.ts')] }),
    '/mainstay-handoff.js': await bundle({ entryPoints: [join(CLIENT, 'handoff.ts')] }),
    '/app.js': await bundleReact(codeUnder('Through the main site in React', docs)),
  }
  const server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) })
  server.on('request', ({ url = '', headers }, response) => {
    const isPage = PAGE_PATHS.includes(url)
    send(response, isPage ? 'text/html' : 'text/javascript', files[isPage ? `https://${headers.host}` : url])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ports: { [SHOP_TWO]: port, [SHOP_THREE]: port },
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** With our addresses in place of the example's. */
function codeUnder(heading: string, docs: string): string {
  const [, code] =
    new RegExp(`^#+ ${heading}\\n[\\s\\S]*?\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``, 'm').exec(docs) ?? []
  if (!code) throw new Error(`There is no code under "${heading}"`)
  return code.replaceAll('https://auth.example.com', API).replaceAll('https://www.example.com', MAIN)
}

function bundleReact(code: string): Promise<string> {
  const start = `import { createRoot } from 'react-dom/client'
    createRoot(document.querySelector('div')).render(<App />)`
  return bundle({
    stdin: { contents: `${code}\n${start}`, loader: 'tsx', resolveDir: ROOT },
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: {
      '@mainstay-auth/client/handoff': join(CLIENT, 'handoff.ts'),
      '@mainstay-auth/react': join(ROOT, 'packages/react/src/index.ts'),
      '@mainstay-auth/client/passkeys': join(CLIENT, 'passkeys.ts'),
      '@mainstay-auth/client': join(CLIENT, 'index.ts'),
    },
  })
}

async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    bundle: true,
    format: 'esm',
    target: 'es2022',
    ...options,
    write: false,
  })
  return outputFiles[0]!.text
}

function send(response: ServerResponse, type: string, body: string | undefined): void {
  if (body === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(body)
}

import { join } from 'node:path'
import { startBuiltPages } from './built-pages.js'
import type { Certificate } from './certificate.js'
import { bundle, bundleReact, codeUnder } from './docs-code.js'
import { SHOP_THREE, SHOP_TWO } from './hosts.js'
import { type Pages, together } from './pages.js'
import { startPlainPages } from './plain-pages.js'
import { serveFiles } from './served-files.js'

const ROOT = join(__dirname, '../../..')
const CLIENT = join(ROOT, 'packages/client/src')

/**
 * The real pages; on two satellites the pages of docs/integrate, as somebody has copied them; and pages that are
 * nobody's friends on the other origins.
 */
export function startHandoffPages(certificate: Certificate): Promise<Pages> {
  return together(startPlainPages(certificate), startBuiltPages(certificate), startPagesOfDocs(certificate))
}

async function startPagesOfDocs(certificate: Certificate): Promise<Pages> {
  const pages: Readonly<Record<string, string>> = {
    [SHOP_TWO]: await codeUnder('Through the main site in plain HTML'),
    [SHOP_THREE]: '<!doctype html><div></div><script type="module" src="/app.js"></script>',
  }
  const scripts: Readonly<Record<string, string>> = {
    '/mainstay.js': await bundle({ entryPoints: [join(CLIENT, 'index.ts')] }),
    '/mainstay-handoff.js': await bundle({ entryPoints: [join(CLIENT, 'handoff.ts')] }),
    '/app.js': await bundleReact(await codeUnder('Through the main site in React')),
  }
  return serveFiles(certificate, Object.keys(pages), (origin, path) => {
    const isPage = path === '/'
    const body = isPage ? pages[origin] : scripts[path]
    return body === undefined ? null : { type: isPage ? 'text/html' : 'text/javascript', body }
  })
}

import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { documentedCode } from '../../support/client/documented-code.js'
import { API, MAIN } from './hosts.js'

const ROOT = join(__dirname, '../../..')
const CLIENT = join(ROOT, 'packages/client/src')

/** The first code under this heading of a page in docs/integrate, with our addresses in place of the example's. */
export async function codeUnder(heading: string): Promise<string> {
  const code = await documentedCode(heading)
  return code.replaceAll('https://auth.example.com', API).replaceAll('https://www.example.com', MAIN)
}

/**
 * The component `App` of this code, drawn into the page's first `<div>`. With `isStrict` React mounts everything twice
 * and warns, which only its development build does, and only for a StrictMode around the whole.
 */
export function bundleReact(code: string, isStrict = false): Promise<string> {
  const start = `import { Fragment as Loose, StrictMode as Strict } from 'react'
    import { createRoot } from 'react-dom/client'
    const Mode = ${isStrict ? 'Strict' : 'Loose'}
    createRoot(document.querySelector('div')).render(<Mode><App /></Mode>)`
  return bundle({
    stdin: { contents: `${code}\n${start}`, loader: 'tsx', resolveDir: ROOT },
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': isStrict ? '"development"' : '"production"' },
    alias: {
      '@mainstay-auth/client/handoff': join(CLIENT, 'handoff.ts'),
      '@mainstay-auth/react': join(ROOT, 'packages/react/src/index.ts'),
      '@mainstay-auth/client/login': join(CLIENT, 'login.ts'),
      '@mainstay-auth/client/passkeys': join(CLIENT, 'passkeys.ts'),
      '@mainstay-auth/client': join(CLIENT, 'index.ts'),
    },
  })
}

/** As one script for a browser. */
export async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    bundle: true,
    format: 'esm',
    target: 'es2022',
    ...options,
    write: false,
  })
  return outputFiles[0]!.text
}

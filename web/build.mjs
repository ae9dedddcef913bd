// node web/build.mjs [--watch]: both sites into web/dist. Not into dist/, which `nest start --watch` empties.
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
// From its sources, so that a page shows the client at hand.
const client = fileURLToPath(new URL('../packages/client/src/', import.meta.url))
const watch = process.argv.includes('--watch') ? {} : null

for (const site of ['main', 'satellite']) {
  await build({
    configFile: false,
    root: `${here}${site}`,
    logLevel: watch ? 'info' : 'warn',
    resolve: {
      alias: [
        { find: /^@mainstay-auth\/client$/, replacement: `${client}index.ts` },
        { find: /^@mainstay-auth\/client\/(react|handoff|passkeys)$/, replacement: `${client}$1.ts` },
      ],
    },
    esbuild: { jsx: 'automatic' },
    build: {
      outDir: `${here}dist/${site}`,
      emptyOutDir: true,
      target: 'es2022',
      // The policy of the pages allows neither inline code nor data: addresses.
      assetsInlineLimit: 0,
      modulePreload: false,
      // The words that passwords are compared with, loaded when somebody chooses one.
      chunkSizeWarningLimit: 1_500,
      watch,
    },
  })
}

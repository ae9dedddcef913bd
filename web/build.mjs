// node web/build.mjs [--watch] [--messages <folder>] [--out <folder>]: every site into web/dist, from web/messages. Not
// into dist/, which `nest start --watch` empties.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { compressFiles } from './compress-files.mjs'
import { earlyScripts } from './early-scripts.mjs'
import { messageFiles } from './messages/vite-plugin.mjs'
import { plainImports } from './plain-imports.mjs'
import { smallScripts } from './small-scripts.mjs'

// What runs the build may be in development; the pages never are, or React would bring all that it checks then.
process.env.NODE_ENV = 'production'

const here = fileURLToPath(new URL('.', import.meta.url))
// From its sources, so that a page shows the client at hand.
const client = fileURLToPath(new URL('../packages/client/src/', import.meta.url))
const react = fileURLToPath(new URL('../packages/react/src/', import.meta.url))
const { values } = parseArgs({
  options: {
    watch: { type: 'boolean' },
    messages: { type: 'string', default: `${here}messages/` },
    out: { type: 'string', default: `${here}dist/` },
  },
})
const watch = values.watch ? {} : null

for (const site of ['main', 'satellite', 'operator']) {
  await build({
    configFile: false,
    root: `${here}${site}`,
    logLevel: watch ? 'info' : 'warn',
    resolve: {
      alias: [
        { find: /^@mainstay-auth\/react$/, replacement: `${react}index.ts` },
        { find: /^@mainstay-auth\/client$/, replacement: `${client}index.ts` },
        {
          find: /^@mainstay-auth\/client\/(handoff|passkeys|reauthentication)$/,
          replacement: `${client}$1.ts`,
        },
      ],
    },
    plugins: [
      messageFiles(values.messages, ownMessagesOf(site)),
      plainImports(),
      smallScripts(),
      earlyScripts(),
    ],
    esbuild: { jsx: 'automatic', target: 'es2022' },
    build: {
      outDir: `${values.out}${site}`,
      emptyOutDir: true,
      // Of our own files, above: for anything but `esnext` Vite prints what the plugin has minified once more.
      target: 'esnext',
      // The policy of the pages allows neither inline code nor data: addresses.
      assetsInlineLimit: 0,
      modulePreload: false,
      minify: false,
      cssMinify: 'esbuild',
      cssCodeSplit: false,
      // The words that passwords are compared with, loaded when somebody chooses one.
      chunkSizeWarningLimit: 1_500,
      watch,
      rollupOptions: {
        // 'use client' is for servers that render; these pages have none.
        onwarn: (warning, warn) =>
          !['MODULE_LEVEL_DIRECTIVE', 'SOURCEMAP_ERROR'].includes(warning.code) && warn(warning),
      },
    },
  })
  if (!watch) await compressFiles(`${values.out}${site}/assets/`)
}

/** Messages that no other site has: whoever uses those must not load them. */
function ownMessagesOf(site) {
  const folder = `${values.messages}${site}/`
  return existsSync(folder) ? folder : null
}

// For pages without a build, which the service serves them to.
const built = fileURLToPath(new URL('../packages/client/dist/', import.meta.url))
rmSync(`${values.out}client`, { recursive: true, force: true })
for (const file of readdirSync(built).filter(name => /^mainstay.*\.js$/.test(name)))
  cpSync(`${built}${file}`, `${values.out}client/${file}`)

// Its licence goes with the typeface.
cpSync(
  fileURLToPath(import.meta.resolve('@fontsource-variable/inter/LICENSE')),
  `${values.out}inter-license.txt`,
)

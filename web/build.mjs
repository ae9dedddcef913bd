// node web/build.mjs [--watch] [--messages <folder>] [--out <folder>]: builds every site into web/dist, with
// the messages from web/messages. Not into dist/, which `nest start --watch` empties.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { build } from 'vite'
import { copyClientFiles } from './client-files.mjs'
import { messageFiles } from './messages/vite-plugin.mjs'

// The environment of the build may be development, but the pages never are; otherwise React would include its
// development checks.
process.env.NODE_ENV = 'production'

const compress = promisify(brotliCompress)
/** Smaller files fit into the same packet as their headers. */
const LEAST_BYTES = 1_000

const here = fileURLToPath(new URL('.', import.meta.url))
// From its sources, so that a page uses the current client.
const client = fileURLToPath(new URL('../packages/client/src/', import.meta.url))
const react = fileURLToPath(new URL('../packages/react/src/', import.meta.url))
const { version } = JSON.parse(
  await readFile(new URL('../packages/client/package.json', import.meta.url), 'utf8'),
)
const { values } = parseArgs({
  options: {
    watch: { type: 'boolean' },
    messages: { type: 'string', default: `${here}messages/` },
    out: { type: 'string', default: `${here}dist/` },
  },
})
const watch = values.watch ? {} : null
/** Of the packages that pages have in them. */
const folders = new Set()
/** See web/pieces/language.ts. */
const DRAWING_SCRIPT = 'app'

for (const site of ['main', 'satellite', 'operator']) {
  const built = await build({
    configFile: false,
    root: `${here}${site}`,
    logLevel: watch ? 'info' : 'warn',
    resolve: {
      alias: [
        // See docs/decisions/pages-are-built-once.md.
        { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
        { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
        { find: /^react(-dom)?$/, replacement: 'preact/compat' },
        { find: /^@mainstay-auth\/react$/, replacement: `${react}index.ts` },
        { find: /^@mainstay-auth\/client$/, replacement: `${client}index.ts` },
        {
          find: /^@mainstay-auth\/client\/(handoff|login|passkeys|reauthentication)$/,
          replacement: `${client}$1.ts`,
        },
      ],
    },
    plugins: [messageFiles(site, values.messages, ownMessagesOf(site)), earlyScripts()],
    esbuild: { jsx: 'automatic' },
    define: { CLIENT_VERSION: JSON.stringify(version) },
    build: {
      outDir: `${values.out}${site}`,
      emptyOutDir: true,
      target: 'es2022',
      // The pages' policy allows neither inline code nor data: URLs.
      assetsInlineLimit: 0,
      modulePreload: false,
      cssCodeSplit: false,
      // The dictionaries that passwords are compared with, loaded when somebody chooses a password.
      chunkSizeWarningLimit: 1_500,
      watch,
      rollupOptions: {
        // 'use client' is for server rendering; these pages have none.
        onwarn: (warning, warn) =>
          !['MODULE_LEVEL_DIRECTIVE', 'SOURCEMAP_ERROR'].includes(warning.code) && warn(warning),
      },
    },
  })
  if (watch) continue
  for (const each of built.output.flatMap(foldersOf)) folders.add(each)
  await compressFiles(`${values.out}${site}/assets/`)
}

/** Makes the browser fetch the script that draws the pages together with the one that requests it. */
function earlyScripts() {
  return {
    name: 'mainstay-early-scripts',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const found = Object.values(bundle).find(
          ({ type, name }) => type === 'chunk' && name === DRAWING_SCRIPT,
        )
        if (!found) throw new Error(`There is no script ${DRAWING_SCRIPT}`)
        return [
          { tag: 'link', attrs: { rel: 'modulepreload', href: `/${found.fileName}` }, injectTo: 'head' },
        ]
      },
    },
  }
}

/**
 * Writes `<name>.br` beside each file in a folder (whose path ends in a slash), for servers that send these.
 * Every browser that runs these pages accepts Brotli over https.
 */
async function compressFiles(folder) {
  const files = readdirSync(folder).map(async name => {
    const content = await readFile(`${folder}${name}`)
    if (content.length < LEAST_BYTES) return
    const compressed = await compress(content)
    // Fonts are compressed already.
    if (compressed.length < content.length) await writeFile(`${folder}${name}.br`, compressed)
  })
  await Promise.all(files)
}

/** Messages that only this site has, so that the other sites do not load them. */
function ownMessagesOf(site) {
  const folder = `${values.messages}${site}/`
  return existsSync(folder) ? folder : null
}

copyClientFiles(values.out)

const typeface = fileURLToPath(import.meta.resolve('@fontsource-variable/inter/LICENSE'))
writeFileSync(`${values.out}licenses.txt`, licensesOf([...folders, `${dirname(typeface)}/`]))

/** The folders of the packages that are in a script. */
function foldersOf({ modules = {} }) {
  return Object.keys(modules).flatMap(
    id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(id.replace(/^\0/, ''))?.[0] ?? [],
  )
}

/** What other people's code and typeface have to come with. */
function licensesOf(packages) {
  const texts = packages.sort().map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
    const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each))
    if (!file) throw new Error(`${name} is in the pages, and has no licence`)
    return `${name} ${version}, ${license}\n\n${readFileSync(folder + file, 'utf8').trim()}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

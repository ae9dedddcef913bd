// node dev/join-drizzle.mjs: puts drizzle-orm into dist/node_modules as a few files, where everything in
// dist/ finds it first. Node reads a package's package.json for each of its modules: here 180 kB for each of
// 500, which costs half a second per start and 90 MB of memory. Without this copy everything works, only more
// slowly.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const PACKAGE = 'drizzle-orm'
const target = join('dist/node_modules', PACKAGE)

const { version, type, exports } = JSON.parse(readFileSync(`node_modules/${PACKAGE}/package.json`, 'utf8'))
const entries = Object.fromEntries(importedEntries().map(name => [name, fileOf(exports[name])]))

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
await build({
  entryPoints: Object.values(entries).map(file => join('node_modules', PACKAGE, file)),
  outbase: join('node_modules', PACKAGE),
  outdir: target,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
})
writeFileSync(
  join(target, 'package.json'),
  JSON.stringify({
    name: PACKAGE,
    version,
    type,
    exports: { ...entries, './package.json': './package.json' },
  }),
)

/** The imported entries, as keys of `exports`. */
function importedEntries() {
  const names = new Set()
  for (const file of readdirSync('dist', { recursive: true }).filter(isOurs))
    for (const [, path] of readFileSync(join('dist', file), 'utf8').matchAll(/"drizzle-orm(\/[\w/-]+)?"/g))
      names.add(`.${path ?? ''}`)
  if (names.size === 0) throw new Error(`Nothing in dist imports ${PACKAGE}: is it built?`)
  return [...names].sort()
}

function isOurs(file) {
  return /^(src|dev)\/.*\.js$/.test(file)
}

function fileOf(conditions) {
  const { import: found } = conditions
  return typeof found === 'string' ? found : found.default
}

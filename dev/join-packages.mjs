// node dev/join-packages.mjs: puts two packages into dist/node_modules as a few files, where everything in dist/ finds
// them first.
// drizzle-orm: Node reads a package's package.json for each of its modules: here 180 kB for each of 500, which costs
// half a second per start and 90 MB of memory. Without this copy everything works, only more slowly.
// @nestjs/swagger: the decorators of our controllers are from it, and it brings swagger-ui-dist, which reports every
// installation by way of @scarf/scarf. Whoever installs mainstay-auth has this copy alone.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
await joinPackage('drizzle-orm', { packages: 'external' })
// Everything that it shares with the service stays a package, and so does the page that nobody asks it for.
await joinPackage('@nestjs/swagger', { external: [...Object.keys(dependencies), 'swagger-ui-dist'] })

async function joinPackage(name, options) {
  const source = join('node_modules', name)
  const target = join('dist/node_modules', name)
  const { version, type, license, exports } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const entries = Object.fromEntries(importedEntries(name).map(entry => [entry, fileOf(exports[entry])]))

  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  await build({
    entryPoints: Object.values(entries).map(file => join(source, file)),
    outbase: source,
    outdir: target,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'linked',
    ...options,
  })
  const manifest = {
    name,
    version,
    type,
    license,
    exports: { ...entries, './package.json': './package.json' },
  }
  writeFileSync(join(target, 'package.json'), JSON.stringify(manifest))
  for (const file of readdirSync(source).filter(file => /^licen[cs]e/i.test(file)))
    copyFileSync(join(source, file), join(target, file))
}

/** The imported entries, as keys of `exports`. */
function importedEntries(name) {
  const entries = new Set()
  for (const file of readdirSync('dist', { recursive: true }).filter(isOurs))
    for (const [, path] of readFileSync(join('dist', file), 'utf8').matchAll(
      new RegExp(`"${name}(/[\\w/-]+)?"`, 'g'),
    ))
      entries.add(`.${path ?? ''}`)
  if (entries.size === 0) throw new Error(`Nothing in dist imports ${name}: is it built?`)
  return [...entries].sort()
}

function isOurs(file) {
  return /^(src|dev)\/.*\.js$/.test(file)
}

function fileOf(conditions) {
  const { import: found } = conditions
  return typeof found === 'string' ? found : found.default
}

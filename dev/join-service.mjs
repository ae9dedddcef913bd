// node dev/join-service.mjs: bundles the service, from dist/src and dist/dev, and the JavaScript of its
// packages into a few files in dist/joined. Importing 2,700 modules one by one takes most of the start-up
// time. The bundle behaves as the modules do.
import { readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
// One of the packages looks for it as soon as it is imported.
import 'reflect-metadata'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const require = createRequire(import.meta.url)
const TARGET = 'dist/joined'

/** What can be started, with its place in dist/src; the worker must be beside the file that looks for it. */
const ENTRIES = {
  main: 'src/main',
  cli: 'src/cli',
  development: 'dev/main',
  'health-check': 'src/health-check',
  'password-strength.worker': 'src/users/passwords/password-strength.worker',
}

/** Native code, packages that locate files relative to themselves, and packages that are only used if installed. */
const SEPARATE = [
  ...['@electric-sql/pglite*', '@node-rs/*', '@opentelemetry/*', '@fastify/otel', 'swagger-ui-dist'],
  ...['@fastify/view', '@nestjs/microservices*', '@nestjs/platform-express', '@nestjs/websockets*'],
  ...[
    '@fastify/multipart',
    'class-transformer/storage',
    'pg-native',
    'pino',
    'pino-pretty',
    'reflect-metadata',
  ],
]

/** Decorators need reflect-metadata before any class; CommonJS packages need the variables that Node provides. */
const FIRST = `import 'reflect-metadata'
const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
const { filename: __filename, dirname: __dirname } = import.meta`

/** Nest's packages create their own `require`, so esbuild does not notice that they share a package with us. */
const requiresOfNest = {
  name: 'requires of Nest',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/@nestjs\/mapped-types\/.*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('const require = createRequire(import.meta.url);', ''),
    }))
  },
}

/**
 * `await import()` of a CommonJS package provides its names, as in Node; with plain esbuild it has only
 * `default`.
 */
const importsOfCommonJs = {
  name: 'imports of CommonJS',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^.]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === 'seen') return undefined
      const found = await resolve(path, { kind, resolveDir, pluginData: 'seen' })
      if (found.external || found.errors.length > 0) return undefined
      const { default: exported } = await import(found.path)
      if (exported === undefined || require(found.path) !== exported) return undefined
      return { path: found.path, namespace: 'names', pluginData: Object.keys(exported) }
    })
    onLoad({ filter: /^/, namespace: 'names' }, ({ path, pluginData }) => {
      const names = pluginData.filter(name => name !== 'default' && /^[a-z_$][\w$]*$/i.test(name))
      return { contents: moduleOf(`require(${JSON.stringify(path)})`, names), resolveDir: '.' }
    })
  },
}

/**
 * Node's module of HTTP, without the properties that it computes when they are read. Importing that module itself reads
 * them all, and with them loads undici, a tenth of the service's start-up time.
 */
const importsOfHttp = {
  name: 'imports of HTTP',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'http' } : undefined,
    )
    onLoad({ filter: /^/, namespace: 'http' }, () => {
      const properties = Object.entries(Object.getOwnPropertyDescriptors(http))
      const names = properties.filter(([, { get }]) => !get).map(([name]) => name)
      return { contents: moduleOf("process.getBuiltinModule('node:http')", names) }
    })
  },
}

/** A module that exports the value of this expression as `default`, and these properties of it by name. */
function moduleOf(expression, names) {
  return `const exported = ${expression}
export default exported
export const { ${names.join(', ')} } = exported`
}

rmSync(TARGET, { recursive: true, force: true })
await build({
  entryPoints: Object.entries(ENTRIES).map(([out, file]) => ({ out, in: `dist/${file}.js` })),
  outdir: TARGET,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  external: SEPARATE,
  // Not the copy in dist/node_modules, which would load class-validator from beside it, a second time.
  alias: { '@nestjs/swagger': './node_modules/@nestjs/swagger' },
  plugins: [requiresOfNest, importsOfCommonJs, importsOfHttp],
  banner: { js: FIRST },
  // Half of the text is comments, which would stay in memory; names, and line numbers in stack traces, are kept.
  minifyWhitespace: true,
  lineLimit: 120,
  legalComments: 'linked',
  logLevel: 'warning',
})

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Where all tests get the code of src/, dev/ and packages/ from. A test of ten lines must not load all of it. */
const SOURCES = 'test/sources.ts'
const namedInSources = [...readFileSync(`${root}${SOURCES}`, 'utf8').matchAll(/ from '(.+)'/g)].map(
  ([, file]) => file,
)

// Everything runs as CommonJS, our code and the packages alike: Jest's ES modules need an experimental
// flag under which @fastify/cookie does not load.
function swc(parser, module) {
  return {
    swcrc: false,
    // "unknown" would leave `import()` in CommonJS files as it is, and PGlite's then fails in Jest.
    isModule: true,
    module: { type: 'commonjs', ...module },
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      parser,
      keepClassNames: true,
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
  }
}
const typescript = { syntax: 'typescript', decorators: true }
const ourCode = swc(typescript)
// Some packages are old CommonJS: sloppy mode, and a `this` at the top that is `exports`.
const packages = swc({ syntax: 'ecmascript' }, { strictMode: false, allowTopLevelThis: true })

export default {
  rootDir: root,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  filter: '<rootDir>/test/runner/filter.cjs',
  testEnvironment: '<rootDir>/test/runner/environment.mjs',
  runtime: '<rootDir>/test/runner/runtime.mjs',
  runner: '<rootDir>/test/runner/runner.mjs',
  injectGlobals: false,
  transform: {
    [`/${SOURCES}$`]: ['@swc/jest', swc(typescript, { lazy: namedInSources })],
    '\\.ts$': ['@swc/jest', ourCode],
    '\\.(m?js|cjs)$': ['@swc/jest', packages],
  },
  // One file of nine megabytes that is CommonJS already.
  transformIgnorePatterns: ['/node_modules/typescript/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // From their sources, as everything of ours.
    '^@mainstay-auth/([^/]+)$': '<rootDir>/packages/$1/src/index.ts',
    '^@mainstay-auth/([^/]+)/([^/.]+)$': '<rootDir>/packages/$1/src/$2.ts',
  },
  extensionsToTreatAsEsm: [],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/packages/[^/]+/dist/', '<rootDir>/bench/'],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  watchman: false,
  // Those of `npm test` wait a third of their time; browsers and faults want a core each.
  maxWorkers: availableParallelism() + (process.env.TEST_TIER === 'fast' ? 1 : 0),
  // A worker keeps what its files have loaded, and grows.
  workerIdleMemoryLimit: '1500MB',
  // Its last act is to free what it has grown to, which takes longer than Jest's half second. A leak never ends.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 120_000,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
}

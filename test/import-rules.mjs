// Who may import whom under src, packages, web and dev. Part of npm run check; fails too when it did not see every module.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'

// A folder imports from itself and from the folders before it.
const LAYERS =
  'platform cors mail tokens sessions anomalies factors users auth enrolment satellites team billing audit account health operators pages cli'.split(
    ' ',
  )

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

// web/messages/vite-plugin.mjs.
const MADE_BY_THE_BUILD = '^virtual:languages$'
const CHECKED = ['src', 'packages', 'web', 'dev']

const { output } = await cruise(
  CHECKED,
  {
    ruleSet: { forbidden: [...layerRules(), ...generalRules()] },
    validate: true,
    // With its paths: our packages are looked at in their sources, under their names.
    tsConfig: { fileName: 'tsconfig.json' },
    // Sees `import type` too: a layer that knows the types of a later one depends on it.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(web|packages/[^/]+)/dist/' },
  },
  {
    extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default'],
  },
  { tsConfig: extractTSConfig('tsconfig.json') },
)

const faults = [...violations(output), ...unseen(output), ...unknownFolders(), ...testsPastSources()]
for (const fault of faults) console.error(fault)
process.exit(faults.length === 0 ? 0 : 1)

function layerRules() {
  return LAYERS.slice(0, -1).map((layer, index) => ({
    name: `${layer}-imports-a-later-folder`,
    severity: 'error',
    from: { path: `^src/${layer}/` },
    to: { path: `^src/(${LAYERS.slice(index + 1).join('|')})/` },
  }))
}

function generalRules() {
  const rule = (name, from, to) => ({ name, severity: 'error', from, to })
  return [
    rule('circle', { path: '^src/' }, { circular: true }),
    rule(
      'src-imports-what-does-not-ship',
      { path: '^src/' },
      { path: '^(dev|test|bench|web)/|^packages/(?!verify/)' },
    ),
    // They put everything together; nothing is built on them but the commands, which run the whole without its server.
    rule('imports-a-file-at-the-top-of-src', { path: '^src/(?!cli/)[^/]+/' }, { path: '^src/[^/]+$' }),
    rule(
      'not-found',
      { path: '^(src|packages|web|dev)/' },
      { pathNot: MADE_BY_THE_BUILD, couldNotResolve: true },
    ),
    rule(
      'package-imported-by-its-path',
      { path: '^(src|dev|web)/' },
      { path: '^packages/', dependencyTypesNot: ['aliased'] },
    ),
    // They are installed in other projects, where there is nothing else of ours.
    ...[
      bringsAlone('client', 'nothing'),
      bringsAlone('react', '', {
        pathNot: '^packages/(react|client)/src/|(^|/)node_modules/(@types/)?react/',
      }),
      bringsAlone('verify', 'jose|fastify|@nestjs/common', { dependencyTypesNot: ['core'] }),
      bringsAlone('testing', 'jose', {
        pathNot: '^packages/(testing|verify)/src/|(^|/)node_modules/jose/',
        dependencyTypesNot: ['core'],
      }),
      // It stands in for another company's server.
      bringsAlone('payment-sandbox', 'stripe|p-limit', { dependencyTypesNot: ['core'] }),
    ],
    rule('library-circle', { path: '^(packages|web)/' }, { circular: true }),
    rule('dev-circle', { path: '^dev/' }, { circular: true }),
    // They run in browsers, with what any site could install, and two files of the service that import nothing.
    rule(
      'page-imports-what-no-page-has',
      { path: '^web/.*\\.tsx?$' },
      {
        pathNot:
          '^virtual:languages$|^(web|packages/(client|react)/src)/|^src/(platform/contrast|users/passwords/known-words)\\.ts$|(^|/)node_modules/((@types/)?react(-dom)?|uqr|@zxcvbn-ts)/',
      },
    ),
    ...['main', 'satellite', 'operator'].map(site =>
      rule(
        `${site}-imports-another-site`,
        { path: `^web/${site}/` },
        { path: `^web/(?!${site}/)(main|satellite|operator)/` },
      ),
    ),
    rule('piece-imports-a-site', { path: '^web/pieces/' }, { path: '^web/(main|satellite|operator)/' }),
  ]
}

/** One of our packages imports itself and these packages of others. */
function bringsAlone(name, others, also = {}) {
  const own = `^packages/${name}/src/`
  return {
    name: `${name}-imports-what-it-does-not-bring`,
    severity: 'error',
    from: { path: own },
    to: { pathNot: `${own}|(^|/)node_modules/(${others})/`, ...also },
  }
}

function violations({ summary }) {
  return summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle ? cycle.map(step => step.name).join(' → ') : to
    return `${rule.name}: ${from} → ${path}`
  })
}

// A checker that looked at nothing must not pass.
function unseen({ modules }) {
  const seen = new Set(modules.map(module => module.source))
  const sources = CHECKED.flatMap(modulesUnder)
  if (sources.length === 0) return ['There is no module in src']
  return sources.filter(path => !seen.has(path)).map(path => `not-seen: ${path}`)
}

function modulesUnder(folder) {
  return readdirSync(folder, { recursive: true })
    .map(name => `${folder}/${name}`)
    .filter(path => /\.[cm]?[jt]sx?$/.test(path) && !/^(web|packages\/[^/]+)\/dist\//.test(path))
}

function unknownFolders() {
  return readdirSync('src', { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !LAYERS.includes(entry.name))
    .map(entry => `src/${entry.name} has no place in the list of layers`)
}

/** Tests import our code through one file, so that code can move without them. */
function testsPastSources() {
  return readdirSync('test', { recursive: true })
    .filter(name => name.endsWith('.ts') && name !== 'sources.ts')
    .filter(name => importsOf(`test/${name}`).some(path => /^(src|dev|packages)\//.test(path)))
    .map(name => `test/${name} imports our code by path, not from test/sources.ts`)
}

/** The files that are imported by relative names. */
function importsOf(file) {
  const names = readFileSync(file, 'utf8').matchAll(/\b(?:from|import\() ?'(\.[^']+)'/g)
  return [...names].map(([, name]) => join(dirname(file), name))
}

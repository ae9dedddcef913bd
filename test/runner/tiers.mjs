// Which tests belong to which command, and what they have to find when they start.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Not in `npm test`, whose other files leave out only what they mark as `slow`; random sequences have random seeds. */
const REST = startsWithAnyOf(
  ...['browser/', 'packages/', 'deploy/', 'faults/'],
  ...['http/audit/audit-backlog.', 'http/audit/audit-retention.', 'http/audit/audit-scan.'],
  ...['http/auth/floods.', 'http/auth/costs.', 'http/team/many-invited.'],
  ...[
    'http/billing/billing-large-accounts.',
    'http/billing/billing-long-queue.',
    'http/billing/provider-outage.',
  ],
  ...[
    'http/server/development.',
    'http/server/fuzz.',
    'http/server/taken-port.',
    'http/server/server.',
    'http/server/traces.',
    'http/takeover/',
  ],
  ...['http/embedding/process.', 'contracts/redis-memory.', 'unit/secrets/watched-keys.'],
)

/**
 * Long, or a minute for what one change in a hundred can break, or of 3,000 clients at once, which a busy machine stands
 * only by luck. Looked at before {@link REST}.
 */
const NIGHTLY = startsWithAnyOf(
  ...['faults/fleet/', 'faults/billing/', 'faults/upgrade/', 'faults/recovery/', 'faults/process/herd.'],
  ...['browser/languages.', 'browser/docs-site.', 'browser/engines.', 'browser/examples.'],
  ...['packages/next.', 'packages/frameworks.', 'packages/examples.', 'packages/other-languages.'],
)

const TIERS = {
  fast: { command: 'npm test', has: path => !NIGHTLY(path) && !REST(path) },
  rest: {
    command: 'npm run test:rest',
    has: path => !NIGHTLY(path) && (REST(path) || hasSlowTests(path)),
  },
  all: { command: 'npm run test:all', has: path => !NIGHTLY(path) },
  nightly: { command: 'npm run test:nightly', has: NIGHTLY },
  /** What is asked for by path; installs nothing. */
  quick: { command: 'npm run test:quick', has: () => true },
  /** As `quick`, on servers that are installed first: for reports. */
  any: { has: () => true },
}

/** Those of these test files that have tests of the tier. */
export function ofTier(tier, paths) {
  return paths.filter(path => TIERS[tier].has(relative(root, path)))
}

/** Whether a test in this file runs in the tier, by the marks of test/support/tiers.ts that it bears. */
export function runsIn(tier, path, marks) {
  if (tier === 'fast') return !marks.has('slow')
  return tier !== 'rest' || REST(relative(root, path)) || marks.has('slow')
}

/** For somebody who asked for a file by the command of another tier. */
export function otherCommandsFor(path) {
  const file = relative(root, path)
  const others = Object.values(TIERS).filter(({ command, has }) => command && has(file))
  return `${file} is run by ${others.map(({ command }) => `${command} -- ${file}`).join(', or ')}`
}

/** What these files, or those that they import, name: the build, the site of the documentation, a shared PostgreSQL. */
export function needsOf(paths) {
  const files = withImports(paths)
  const texts = [...files.values()]
  return {
    build: texts.some(text => /\bdist\//.test(text)),
    docs: paths.some(path => path.includes('/test/browser/docs-site.')),
    servers: files.has(join(root, 'test/support/postgres/postgres-server.ts')),
  }
}

function hasSlowTests(path) {
  const text = readFileSync(join(root, path), 'utf8')
  return /\bslow(OnServers)?\b.* from '.*\/support\/tiers\.js'/.test(text)
}

/** The texts of these files and of all under test/ that they import, by path. */
function withImports(paths) {
  const texts = new Map()
  const waiting = [...paths]
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    if (texts.has(path)) continue
    const text = readFileSync(path, 'utf8')
    texts.set(path, text)
    for (const [, name] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const imported = join(dirname(path), name.replace(/\.js$/, '.ts'))
      if (imported.startsWith(join(root, 'test/')) && existsSync(imported)) waiting.push(imported)
    }
  }
  return texts
}

function startsWithAnyOf(...starts) {
  return path => starts.some(start => path.startsWith(`test/${start}`))
}

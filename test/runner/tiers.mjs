// Which tests belong to which command, and what they have to find when they start.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Not in `npm test`, whose other files leave out only what they mark as `slow`. */
const REST = /^test\/((browser|packages|deploy|faults)\/|http\/auth\/(floods|login-cost)\.)/
/** Long, or a minute for what one change in a hundred can break. Looked at before {@link REST}. */
const NIGHTLY =
  /^test\/(faults\/(fleet|billing|upgrade|recovery)|browser\/(languages|docs-site|examples)\.|packages\/(next|examples)\.)/

const TIERS = {
  fast: { command: 'npm test', has: path => !NIGHTLY.test(path) && !REST.test(path) },
  rest: {
    command: 'npm run test:rest',
    has: path => !NIGHTLY.test(path) && (REST.test(path) || hasSlowTests(path)),
  },
  all: { command: 'npm run test:all', has: path => !NIGHTLY.test(path) },
  nightly: { command: 'npm run test:nightly', has: path => NIGHTLY.test(path) },
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
  return tier !== 'rest' || REST.test(relative(root, path)) || marks.has('slow')
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
  return /\bslow[.(]/.test(readFileSync(join(root, path), 'utf8'))
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

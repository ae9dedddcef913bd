// The Node that all our code runs on. If the installed one is too old (Node 20 ended in April 2026), npm
// installs a pinned Node 24 into dev/runtime, and the same command runs again on that. This file itself must
// run on Node 20.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { holdLock } from './prepare-lock.mjs'

/**
 * The oldest line that is still supported, and its first version that loads ES modules from CommonJS without
 * a flag.
 */
const OLDEST_NODE = [22, 12]

const runtime = fileURLToPath(new URL('runtime', import.meta.url))
const packageName = `node-${process.platform}-${process.arch}`
/** One version, in a package for each kind of machine. */
const pinned = readJson(join(runtime, 'package.json')).optionalDependencies

/**
 * Returns at once on a supported Node. Otherwise runs this same command on one, and ends this process the way
 * that one ended.
 */
export async function requireSupportedNode() {
  if (isSupported(process.versions.node)) return
  const node = installedNode() ?? installNode()
  // Also first on the PATH, because npm and Nest's tools start `node` by name.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  const args = [...process.execArgv, ...process.argv.slice(1)]
  await endWith(spawn(node, args, { stdio: 'inherit', env }))
}

/**
 * Ends this process the way `child` ends. Ctrl-C reaches the child through the terminal; signals sent only to
 * this process are passed on, or `as` another one for a child that stops in order on that alone. Never resolves.
 */
export function endWith(child, as) {
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])
    process.on(signal, () => child.kill(as ?? signal))
  child.on('error', error => {
    console.error(`${child.spawnfile} does not start: ${error.message}`)
    process.exit(127)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  return new Promise(() => {})
}

/** Whether Mainstay runs on this version, such as `24.21.0`. */
export function isSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
}

/** The path of the pinned Node; null when it is missing or has another version. */
function installedNode() {
  const folder = join(runtime, 'node_modules', packageName)
  const wanted = pinned[packageName]
  try {
    return readJson(join(folder, 'package.json')).version === wanted ? join(folder, 'bin/node') : null
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function installNode() {
  const release = holdLock(runtime)
  try {
    return installedNode() ?? installed()
  } finally {
    release()
  }
}

function installed() {
  const [major] = Object.values(pinned)[0].split('.')
  console.error(`Mainstay runs on Node ${major}; fetching it for this folder …`)
  const { status, error, stdout, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: runtime,
    encoding: 'utf8',
  })
  const node = status === 0 ? installedNode() : null
  if (node) return node
  const why =
    status === 0 ? `There is none for ${packageName}.` : `${stdout ?? ''}${stderr ?? ''} ${error ?? ''}`
  console.error(
    `Mainstay needs Node ${OLDEST_NODE.join('.')} or newer; npm could not install one. ${why}`.trim(),
  )
  process.exit(1)
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

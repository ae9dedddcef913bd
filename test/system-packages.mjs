// node test/system-packages.mjs: installs the programs that `npm run test:all` needs, where they are missing.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Debian keeps PostgreSQL's server programs here and off the PATH.
const POSTGRES_FOLDER = '/usr/lib/postgresql'
const NEEDS = [
  { package: 'redis-server', isPresent: () => isOnPath('redis-server') && isOnPath('redis-cli') },
  { package: 'postgresql', isPresent: () => isOnPath('initdb') || hasDebianPostgres() },
  { package: 'pgbouncer', isPresent: () => isOnPath('pgbouncer') || existsSync('/usr/sbin/pgbouncer') },
  { package: 'chromium', isPresent: () => isOnPath('chromium') },
  { package: 'openssl', isPresent: () => isOnPath('openssl') },
  // promtool checks what we serve to Prometheus, and our rules for it.
  { package: 'prometheus', isPresent: () => isOnPath('promtool') },
  { package: 'docker-compose', isPresent: () => isOnPath('docker-compose') },
  { package: 'caddy', isPresent: () => isOnPath('caddy') },
  { package: 'unzip', isPresent: () => isOnPath('unzip') },
]
// For the languages and proxies of docs/integrate/other-languages.md, and for other engines than Chromium's. Without one its
// test says what it did not try. Go and a JDK, which take half a gigabyte each, are used where they are there.
const NIGHTLY = [
  { package: 'firefox-esr', isPresent: () => isOnPath('firefox-esr') },
  { package: 'webkit2gtk-driver', isPresent: () => isOnPath('WebKitWebDriver') },
  { package: 'xvfb', isPresent: () => isOnPath('xvfb-run') },
  { package: 'xauth', isPresent: () => isOnPath('xauth') },
  { package: 'python3-jwt', isPresent: () => existsSync('/usr/lib/python3/dist-packages/jwt') },
  { package: 'php-cli', isPresent: () => isOnPath('php') },
  { package: 'nginx-light', isPresent: () => isOnPath('nginx') || existsSync('/usr/sbin/nginx') },
  {
    package: 'libjackson2-databind-java',
    isPresent: () => !isOnPath('javac') || existsSync('/usr/share/java/jackson-databind.jar'),
  },
]
// Debian's switch for "do not start services": exit code 101. /usr/share/doc/init-system-helpers.
const START_POLICY = '/usr/sbin/policy-rc.d'
const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/** Which of Redis and PostgreSQL this machine does not have. */
export function missingServers() {
  const servers = { 'redis-server': 'Redis', postgresql: 'PostgreSQL' }
  return NEEDS.filter(need => need.package in servers && !need.isPresent()).map(need => servers[need.package])
}

/**
 * Installs the programs that the tests of the tier run on, where this machine has apt-get and we are root. Does nothing
 * when they are there. Ends the process with a message when they are missing and cannot be installed; what only
 * the nightly tier tries may be missing where there is no apt-get.
 */
export async function installSystemPackages(tier) {
  const canInstall = process.getuid?.() === 0 && isOnPath('apt-get')
  const wanted = tier === 'nightly' && canInstall ? [...NEEDS, ...NIGHTLY] : NEEDS
  const missing = wanted.filter(need => !need.isPresent()).map(need => need.package)
  if (missing.length === 0) return
  if (!canInstall) {
    fail(`The tests run on real servers and a real browser. Please install: ${missing.join(', ')}`)
  }
  console.error(`Installing ${missing.join(', ')} …`)
  const allowStarts = forbidStarts()
  try {
    // Without fresh lists the install may still find what it needs.
    await aptGet('update')
    const { code, output } = await aptGet('install', '--yes', '--no-install-recommends', ...missing)
    if (code !== 0) fail(`${output}\napt-get could not install ${missing.join(', ')}`)
  } finally {
    allowStarts()
  }
  const lacking = NEEDS.filter(need => !need.isPresent()).map(need => need.package)
  if (lacking.length > 0) fail(`Still missing after the install: ${lacking.join(', ')}`)
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)))
}

function hasDebianPostgres() {
  if (!existsSync(POSTGRES_FOLDER)) return false
  return readdirSync(POSTGRES_FOLDER).some(version =>
    existsSync(join(POSTGRES_FOLDER, version, 'bin/initdb')),
  )
}

// The packages would start a Redis and a PostgreSQL on their usual ports. Gives back what puts the policy
// back as it was; that also happens when this process ends on the way.
function forbidStarts() {
  const before = existsSync(START_POLICY)
    ? { text: readFileSync(START_POLICY), mode: statSync(START_POLICY).mode }
    : null
  const restore = () => {
    process.off('exit', restore)
    for (const signal of END_SIGNALS) process.off(signal, end)
    if (before) writeFileSync(START_POLICY, before.text, { mode: before.mode })
    else rmSync(START_POLICY, { force: true })
  }
  const end = () => process.exit(1)
  process.on('exit', restore)
  for (const signal of END_SIGNALS) process.on(signal, end)
  writeFileSync(START_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  return restore
}

function aptGet(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text
      })
    }
    child.on('error', reject)
    child.on('close', code => resolve({ code, output }))
  })
}

function fail(message) {
  console.error(message.trim())
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await installSystemPackages()

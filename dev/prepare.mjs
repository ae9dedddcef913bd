// Makes a checkout ready to run: packages installed, sources built. Plain Node, because it runs before any
// package is installed. All of it is synchronous, and takes milliseconds when there is nothing to do.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { holdLock } from './prepare-lock.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const installStamp = join(root, 'node_modules/.mainstay-install')
const buildStamp = join(root, 'dist/.mainstay-build')
const builtDocs = join(root, 'docs/.vitepress/dist')
const unfinishedDocs = join(root, 'docs/.vitepress/building')
const docsStamp = join(builtDocs, '.mainstay-build')

/** Installs and builds whatever is missing or out of date. Ends the process with a message when that fails. */
export function prepare({ quiet = false } = {}) {
  install({ quiet })
  inTurn(buildStamp, sourcesHash, () => build(quiet), arePackagesBuilt)
}

/** The documentation site, which the service does not need to run. */
export function prepareDocs({ quiet = false } = {}) {
  inTurn(docsStamp, docsHash, () => {
    if (!quiet) console.error('Building the documentation …')
    run('npm', ['run', '--silent', 'build:docs', '--', '--outDir', unfinishedDocs])
    rmSync(builtDocs, { recursive: true, force: true })
    renameSync(unfinishedDocs, builtDocs)
  })
}

/** As `prepareDocs`, but returns at once: another process builds. Until it has, there is no documentation. */
export function prepareDocsInBackground() {
  if (isUpToDate(docsStamp, docsHash)) return
  rmSync(builtDocs, { recursive: true, force: true })
  const code = `const { prepareDocs } = await import(${JSON.stringify(import.meta.url)}); prepareDocs()`
  const args = ['--input-type=module', '--eval', code]
  // In a process group of its own, which ends as one.
  const builder = spawn(process.execPath, args, { stdio: 'inherit', detached: true })
  const stop = () => process.kill(-builder.pid)
  process.once('exit', stop)
  builder.once('exit', () => process.off('exit', stop))
  builder.unref()
}

/** The first half of `prepare`: only the packages. */
export function install({ quiet = false } = {}) {
  inTurn(installStamp, packagesHash, () => {
    if (!isInstalled()) installPackages(quiet)
  })
}

// Checks again under the lock, because another process may have done the work meanwhile.
function inTurn(stamp, hash, work, isThere = () => true) {
  const isDone = () => isUpToDate(stamp, hash) && isThere()
  if (isDone()) return
  const release = holdLock(root)
  try {
    if (isDone()) return
    // Computed before the work, so that a change made during it counts as out of date.
    const done = hash()
    work()
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, done)
  } finally {
    release()
  }
}

function isUpToDate(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash()
}

// They are built into folders of their own, which can be removed without removing the stamp.
function arePackagesBuilt() {
  const { workspaces } = JSON.parse(read('package.json'))
  return workspaces.every(folder => existsSync(join(root, folder, 'dist/index.js')))
}

function packagesHash() {
  const { dependencies, devDependencies, overrides, workspaces } = JSON.parse(read('package.json'))
  const ofWorkspaces = workspaces.map(folder => JSON.parse(read(join(folder, 'package.json'))).dependencies)
  const wanted = JSON.stringify([dependencies, devDependencies, overrides, workspaces, ofWorkspaces])
  const lock = hasLock() ? read('package-lock.json') : ''
  return sha256([process.platform, process.arch, wanted, lock])
}

function sourcesHash() {
  const files = [
    '.swcrc',
    'nest-cli.json',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'tsconfig.types.json',
  ]
    .filter(file => existsSync(join(root, file)))
    .concat(filesUnder('src'))
    .concat(filesUnder('dev').filter(file => /\.ts$|^dev\/join-.*\.mjs$/.test(file)))
    .concat(filesUnder('packages').filter(file => !isBuilt(file)))
    .concat(filesUnder('web').filter(file => !isBuilt(file)))
  return sha256(files.flatMap(file => [file, read(file)]))
}

function docsHash() {
  const files = ['docs', 'deploy', 'examples']
    .flatMap(folder => filesUnder(folder))
    .filter(
      file => /\.(md|ts|svg|png)$/.test(file) && !/^docs\/\.vitepress\/(dist|building|cache)\//.test(file),
    )
  const all = ['SECURITY.md', 'CONTRIBUTING.md', 'package-lock.json', ...files]
  return sha256(all.flatMap(file => [file, read(file)]))
}

function isBuilt(file) {
  return /^(web|packages\/[^/]+)\/(dist|node_modules)\//.test(file)
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath ?? entry.path, entry.name))
    .map(path => path.slice(root.length))
    .sort()
}

// Compares npm's record in node_modules entry by entry, so that packages installed by hand are not removed
// and fetched again.
function isInstalled() {
  const note = 'node_modules/.package-lock.json'
  if (!hasLock() || !existsSync(join(root, note))) return false
  const wanted = JSON.parse(read('package-lock.json')).packages
  const present = JSON.parse(read(note)).packages
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const isListed = [dependencies, devDependencies].every((list, index) => {
    const locked = wanted['']?.[index === 0 ? 'dependencies' : 'devDependencies']
    return JSON.stringify(list) === JSON.stringify(locked)
  })
  return (
    isListed &&
    Object.entries(wanted)
      .filter(([path]) => path !== '')
      .every(([path, entry]) => isPresent(path, entry, present[path]) || (!present[path] && entry.optional))
  )
}

/** A workspace is a link to its folder here; npm's record of that folder itself says nothing. */
function isPresent(path, { link, version }, noted) {
  if (link) return existsSync(join(root, path, 'package.json'))
  return !path.startsWith('node_modules/') || noted?.version === version
}

function installPackages(quiet) {
  if (!quiet) console.error('Installing packages …')
  // --include=dev: with NODE_ENV=production npm would leave out what the build needs.
  run('npm', [hasLock() ? 'ci' : 'install', '--include=dev', '--no-audit', '--no-fund'])
}

function build(quiet) {
  if (!quiet) console.error('Building …')
  run('npm', ['run', '--silent', 'build'])
}

function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0)
    fail(`${stdout ?? ''}${stderr ?? ''}\n${command} ${args.join(' ')} failed. ${error ?? ''}`)
}

function hasLock() {
  return existsSync(join(root, 'package-lock.json'))
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

function sha256(parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

function fail(message) {
  console.error(message.trim())
  process.exit(1)
}

// node test/faults/upgrade/keep-release.mjs <commit>: keeps the service as it was at that commit, built, as the release that the
// next one is tried beside. Run it at every release. Needs git with that commit, npm and GNU tar. The same commit makes the same file.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireSupportedNode } from '../../../dev/supported-node.mjs'

/** It is in every clone, for ever. */
const MAX_BYTES = 650_000
const VERIFY = 'node_modules/@mainstay-auth/verify'

await requireSupportedNode()
const root = fileURLToPath(new URL('../../..', import.meta.url))
const archive = fileURLToPath(new URL('previous-release.tgz', import.meta.url))
const [given] = process.argv.slice(2)
if (!given) throw new Error('Which commit was released? node test/faults/upgrade/keep-release.mjs <commit>')

const [commit, committedAt] = git('show', '--no-patch', '--format=%H %ct', `${given}^{commit}`).split(' ')
const work = mkdtempSync(join(tmpdir(), 'mainstay-release-'))
try {
  const sources = join(work, 'sources')
  const release = join(work, 'release')
  checkOut(sources)
  build(sources)
  collect(sources, release)
  pack(release)
} finally {
  rmSync(work, { recursive: true })
}
const { size } = statSync(archive)
console.log(`${archive}: ${commit}, ${size} bytes`)
if (size > MAX_BYTES) throw new Error(`More than ${MAX_BYTES} bytes: what is in it that no server needs?`)

function checkOut(folder) {
  mkdirSync(folder)
  git('archive', `--output=${folder}.tar`, commit)
  run('tar', ['-xf', `${folder}.tar`], folder)
}

/** With the packages of its own lock file, though it will run on those of the checkout. */
function build(folder) {
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], folder)
  run('npx', ['tsc', '-b', 'packages'], folder)
  run('npx', ['nest', 'build'], folder)
}

/** What `node dist/src/main.js` reads: no pages, no types, no database to start from, and of the packages only our own. */
function collect(from, to) {
  const copy = (path, isWanted = () => true, target = path) => {
    for (const file of filesUnder(join(from, path)).filter(isWanted)) {
      mkdirSync(dirname(join(to, target, file)), { recursive: true })
      cpSync(join(from, path, file), join(to, target, file))
    }
  }
  copy('dist/src', file => file.endsWith('.js'))
  copy('src/platform/database/migrations', file => !file.endsWith('_snapshot.json'))
  copy('packages/verify/dist', file => file.endsWith('.js'), join(VERIFY, 'dist'))
  cpSync(join(from, 'packages/verify/package.json'), join(to, VERIFY, 'package.json'))
  cpSync(join(from, 'package.json'), join(to, 'package.json'))
  writeFileSync(join(to, 'release.json'), `${JSON.stringify({ commit })}\n`)
}

function pack(folder) {
  const always = ['--sort=name', `--mtime=@${committedAt}`, '--owner=0', '--group=0', '--numeric-owner']
  const options = ['--format=ustar', '--mode=u=rwX,go=rX', ...always, '--use-compress-program=gzip -9n']
  run('tar', [...options, '-cf', archive, '.'], folder)
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
}

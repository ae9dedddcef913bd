import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const STAMP = join(import.meta.dirname, 'node_modules/.mainstay-install')

/** Installs the packages of this folder where they are missing or others. Throws when that fails. */
export function installPeers() {
  const lock = readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8')
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return
  console.error('Installing the peers …')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error('npm ci failed in bench/peers')
  writeFileSync(STAMP, lock)
}

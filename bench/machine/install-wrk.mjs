import { spawnSync } from 'node:child_process'

/** Installs wrk where this machine has apt-get and we are root. Ends the process with a message otherwise. */
export function installWrk() {
  for (const program of ['taskset', 'wrk']) {
    if (isPresent(program)) continue
    if (program === 'wrk' && process.getuid?.() === 0 && isPresent('apt-get')) aptInstall()
    if (!isPresent(program)) fail(`The bench needs ${program} (Linux). Please install it.`)
  }
}

function isPresent(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
}

function aptInstall() {
  console.error('Installing wrk …')
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  }
  const lock = ['-o', 'DPkg::Lock::Timeout=120']
  // Without fresh lists the install may still find it.
  spawnSync('apt-get', [...lock, 'update'], options)
  spawnSync('apt-get', [...lock, 'install', '--yes', '--no-install-recommends', 'wrk'], options)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

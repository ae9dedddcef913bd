import { constants } from 'node:os'

/**
 * Ends this process the way `child` ends. Ctrl-C reaches the child through the terminal; signals sent only to
 * this process are passed on. Never resolves.
 */
export function endWith(child) {
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    console.error(`${child.spawnfile} does not start: ${error.message}`)
    process.exit(127)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  return new Promise(() => {})
}

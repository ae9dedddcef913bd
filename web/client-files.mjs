import { cpSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('../packages/client/dist/', import.meta.url))

/**
 * Copies the bundles of the client into `<out>client`, from where the service serves them to pages without a build step.
 * `out` ends in a slash.
 */
export function copyClientFiles(out) {
  rmSync(`${out}client`, { recursive: true, force: true })
  for (const file of readdirSync(built).filter(name => /^mainstay.*\.js$/.test(name)))
    cpSync(`${built}${file}`, `${out}client/${file}`)
}

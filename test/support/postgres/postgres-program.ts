import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

// Debian keeps the server's programs here, by version, and off the PATH.
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** The full path of one of PostgreSQL's programs, of the newest version installed. Throws when there is none. */
export function postgresProgram(name: 'initdb' | 'postgres' | 'pg_basebackup'): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : []
  const folders = versions
    .sort((a, b) => Number(b) - Number(a))
    .map(version => join(DEBIAN_FOLDER, version, 'bin'))
    .concat((process.env.PATH ?? '').split(delimiter))
  const program = folders.map(folder => join(folder, name)).find(path => existsSync(path))
  if (!program)
    throw new Error(`PostgreSQL's ${name} is not installed: npm run test:all installs it on Debian`)
  return program
}

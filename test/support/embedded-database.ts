import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ServerFolder } from './processes/server-folder.js'

/** As SNAPSHOT_FILE; importing that would load the whole database here. */
const SNAPSHOT_FILE = 'dist/database-snapshot.tar.gz'

/** Unpacks the empty database of the build, once for all that {@link copyEmbeddedDatabase} copies. */
export async function unpackEmbeddedDatabase(): Promise<ServerFolder> {
  const folder = await ServerFolder.create('embedded-database', 'KILL')
  // Its paths are absolute, about which tar complains.
  execFileSync('tar', ['-xzf', SNAPSHOT_FILE, '-C', folder.path, '--no-same-owner'], { stdio: 'pipe' })
  process.env.TEST_EMBEDDED_DATABASE = folder.path
  return folder
}

/** Puts an empty database where the service would make one, which takes four times as long. */
export function copyEmbeddedDatabase(folder: string): void {
  const source = process.env.TEST_EMBEDDED_DATABASE
  if (!source)
    throw new Error(
      'TEST_EMBEDDED_DATABASE is not set: the test run was not started through test/jest.config.mjs',
    )
  mkdirSync(folder, { recursive: true })
  cpSync(source, join(folder, 'pgdata'), { recursive: true })
}

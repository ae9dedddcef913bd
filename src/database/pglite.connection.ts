import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Logger } from '@nestjs/common'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { PACKAGE_ROOT } from '../config/package-root.js'
import { type Connection, type Db, MIGRATIONS_FOLDER } from './connection.js'
import { lockFolder } from './folder-lock.js'
import * as schema from './schema.js'

/** Made by the build: an empty database with our schema, so that a new folder opens faster. */
export const SNAPSHOT_FILE = join(PACKAGE_ROOT, 'dist/database-snapshot.tar.gz')

/** The embedded database in `folder`, created on first use. Throws when another process has it open. */
export async function openPglite(folder: string): Promise<Connection> {
  await mkdir(folder, { recursive: true })
  const unlock = await lockFolder(folder, () => {
    new Logger('Database').fatal(`Another process has taken over ${folder}; two writers would destroy it`)
    process.exit(1)
  })
  const dataDir = join(folder, 'pgdata')
  const client = await PGlite.create({ dataDir, loadDataDir: await snapshotFor(dataDir) })
  const db = drizzle(client, { schema })
  const run = async <T>(work: (db: Db) => Promise<T>) => work(db as unknown as Db)
  return {
    run,
    transaction: async work => db.transaction(transaction => work(transaction as unknown as Db)),
    report: run,
    migrate: () => migrate(db, { migrationsFolder: MIGRATIONS_FOLDER }),
    isOutage: () => client.closed,
    close: async () => {
      await client.close()
      await unlock()
    },
  }
}

async function snapshotFor(dataDir: string): Promise<Blob | undefined> {
  if (existsSync(join(dataDir, 'PG_VERSION')) || !existsSync(SNAPSHOT_FILE)) return undefined
  return new Blob([await readFile(SNAPSHOT_FILE)])
}

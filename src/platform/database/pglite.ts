import { existsSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { PACKAGE_ROOT } from '../config/package-root.js'
import { StartError } from '../errors/api-error.js'
import { Logger } from '../log.js'
import { type Connection, type Db, MIGRATIONS_FOLDER } from './connection.js'
import { lockFolder } from './folder-lock.js'

/**
 * The folder of the embedded database, with those above it; safe to repeat. Throws a {@link StartError} where it
 * cannot be: one step at a time, because Node's `recursive` tries forever in file systems such as /proc.
 */
export async function createFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  if (!existsSync(parent)) await createFolder(parent)
  try {
    await mkdir(folder)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    throw new StartError(
      `The database cannot be in this folder: ${message}; set another DATABASE_URL or DATA_DIR`,
      {
        cause,
      },
    )
  }
}

/** Made by the build: an empty database with our schema, so that a new folder opens faster. */
export const SNAPSHOT_FILE = join(PACKAGE_ROOT, 'dist/database-snapshot.tar.gz')

/** PostgreSQL's default of 128 MB would stay resident; the operating system caches the files as well. */
const SHARED_BUFFERS = '16MB'

/**
 * The embedded database in `folder`, created on first use. Throws when another process has it open. When
 * another process takes it over, nothing more is read or written, because two writers would destroy it.
 */
export async function openPglite(folder: string): Promise<Connection> {
  const logger = new Logger('Database')
  await createFolder(folder)
  const loss = new AbortController()
  const unlock = await lockFolder(folder, () => {
    if (!loss.signal.aborted)
      logger.fatal(`Another process has taken over ${folder}; two writers would destroy it`)
    loss.abort()
  })
  try {
    return await openFolder(folder, loss.signal, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

async function openFolder(
  folder: string,
  lost: AbortSignal,
  unlock: () => Promise<void>,
): Promise<Connection> {
  const dataDir = join(folder, 'pgdata')
  const client = await PGlite.create({
    dataDir,
    loadDataDir: await snapshotFor(dataDir),
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  })
  const db = drizzle(client)
  const run = async <T>(work: (db: Db) => Promise<T>) => {
    lost.throwIfAborted()
    return work(db as unknown as Db)
  }
  const transaction: Connection['transaction'] = work =>
    run(() => db.transaction(transaction => work(transaction as unknown as Db)))
  return {
    lost,
    run,
    transaction,
    report: run,
    poll: run,
    maintain: transaction,
    migrate: () => migrate(db, { migrationsFolder: MIGRATIONS_FOLDER }),
    isOutage: () => client.closed || lost.aborted,
    close: async () => {
      if (!lost.aborted) await client.close()
      await unlock()
    },
  }
}

async function snapshotFor(dataDir: string): Promise<Blob | undefined> {
  if (existsSync(join(dataDir, 'PG_VERSION')) || !existsSync(SNAPSHOT_FILE)) return undefined
  return new Blob([await readFile(SNAPSHOT_FILE)])
}

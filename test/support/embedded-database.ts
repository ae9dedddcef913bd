import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { MIGRATIONS_FOLDER } from '../sources.js'

const CACHE = join(__dirname, '../../node_modules/.cache/test-databases')

/** Puts an empty database with our schema where the service would make one, which takes ten times as long. */
export async function copyEmbeddedDatabase(folder: string): Promise<void> {
  const source = await emptyDatabase()
  mkdirSync(folder, { recursive: true })
  cpSync(source, join(folder, 'pgdata'), { recursive: true })
}

/** Made once for each state of the migrations, by whoever needs it first. */
async function emptyDatabase(): Promise<string> {
  const state = createHash('sha256')
  // Not by their names alone: a migration that no release has yet is changed in place.
  for (const file of readdirSync(MIGRATIONS_FOLDER).toSorted())
    if (file.endsWith('.sql')) state.update(readFileSync(join(MIGRATIONS_FOLDER, file)))
  const folder = join(CACHE, state.digest('hex').slice(0, 16))
  if (existsSync(folder)) return folder
  const unfinished = `${folder}-${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  const client = await PGlite.create({ dataDir: unfinished })
  await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  await client.close()
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    // Another worker was faster: a folder that is not empty is not replaced.
    if (!existsSync(folder)) throw error
    rmSync(unfinished, { recursive: true })
  }
  return folder
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { MIGRATIONS_FOLDER } from '../src/platform/database/connection.js'
import { SNAPSHOT_FILE } from '../src/platform/database/pglite.js'

const folder = await mkdtemp(join(tmpdir(), 'mainstay-snapshot-'))
const client = await PGlite.create({ dataDir: folder })
await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
const snapshot = await client.dumpDataDir('gzip')
await writeFile(SNAPSHOT_FILE, Buffer.from(await snapshot.arrayBuffer()))
await client.close()
await rm(folder, { recursive: true })

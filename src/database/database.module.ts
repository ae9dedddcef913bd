import { Global, Logger, Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import type { Connection } from './connection.js'
import { Database } from './database.js'
import { openPglite } from './pglite.connection.js'
import { openPostgres } from './postgres.connection.js'

@Global()
@Module({
  providers: [{ provide: Database, inject: [Settings], useFactory: openDatabase }],
  exports: [Database],
})
export class DatabaseModule {}

/** Opens the database of DATABASE_URL with an up-to-date schema; throws when it is out of reach. */
export async function openDatabase({ databaseUrl }: Pick<Settings, 'databaseUrl'>): Promise<Database> {
  const connection = await connect(databaseUrl)
  await connection.migrate()
  return new Database(connection)
}

async function connect(url: string): Promise<Connection> {
  if (url.startsWith('pglite:')) return openPglite(url.slice('pglite:'.length))
  const logger = new Logger('Database')
  return openPostgres(url, error => logger.warn(`An idle connection was lost: ${error.message}`))
}

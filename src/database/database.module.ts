import { Global, Logger, Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import type { Connection } from './connection.js'
import { Database } from './database.js'

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

/** Each kind is loaded only where it is used: the embedded database is large. */
async function connect(url: string): Promise<Connection> {
  if (url.startsWith('pglite:')) {
    const { openPglite } = await import('./pglite.connection.js')
    return openPglite(url.slice('pglite:'.length))
  }
  const { openPostgres } = await import('./postgres.connection.js')
  const logger = new Logger('Database')
  return openPostgres(url, error => logger.warn(`An idle connection was lost: ${error.message}`))
}

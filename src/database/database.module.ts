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

type DatabaseSettings = Pick<Settings, 'databaseUrl' | 'operation'>

/** Opens the database of DATABASE_URL with an up-to-date schema; throws when it is out of reach. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const connection = await connect(settings)
  await connection.migrate()
  return new Database(connection)
}

/** Each kind is loaded only where it is used: the embedded database is large. */
async function connect({ databaseUrl: url, operation }: DatabaseSettings): Promise<Connection> {
  if (url.startsWith('pglite:')) {
    const { openPglite } = await import('./pglite.connection.js')
    return openPglite(url.slice('pglite:'.length))
  }
  const { openPostgres } = await import('./postgres/postgres.connection.js')
  const logger = new Logger('Database')
  const { databasePoolSize: poolSize, databaseTimeoutMs: timeoutMs } = operation
  return openPostgres({ url, poolSize, timeoutMs }, error =>
    logger.warn(`An idle connection was lost: ${error.message}`),
  )
}

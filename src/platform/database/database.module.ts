import { type DynamicModule, Module } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Logger } from '../log.js'
import { Metrics } from '../metrics.js'
import { Tracing } from '../tracing.js'
import { type Connection, OpenConnections, startErrorOf } from './connection.js'
import { Database } from './database.js'

@Module({})
export class DatabaseModule {
  static with(connections: OpenConnections): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: OpenConnections, useValue: connections },
        {
          provide: Database,
          inject: [Settings, Metrics, Tracing],
          useFactory: async (settings: Settings, metrics: Metrics, tracing: Tracing) => {
            const { signal } = connections
            const database = await connections.track(openDatabase(settings, { signal, tracing }))
            metrics.histogram(database.durations)
            return database
          },
        },
      ],
      exports: [Database, OpenConnections],
    }
  }
}

type DatabaseSettings = Pick<Settings, 'databaseUrl' | 'operation'>

/**
 * Opens the database of DATABASE_URL with an up-to-date schema; throws when it is out of reach, or when `signal`
 * aborts.
 */
export async function openDatabase(
  settings: DatabaseSettings,
  { signal, tracing }: { signal?: AbortSignal; tracing?: Tracing } = {},
): Promise<Database> {
  const connection = await connect(settings)
  try {
    await connection.migrate(signal)
  } catch (error) {
    await connection.close()
    throw startErrorOf(error, connection.isOutage(error))
  }
  return new Database(connection, tracing)
}

/** Each kind is loaded only where it is used: the embedded database is large. */
async function connect({ databaseUrl: url, operation }: DatabaseSettings): Promise<Connection> {
  if (url.startsWith('pglite:')) {
    const { openPglite } = await import('./pglite.js')
    return openPglite(url.slice('pglite:'.length))
  }
  const { openPostgres } = await import('./postgres.js')
  const logger = new Logger('Database')
  const { databasePoolSize: poolSize, databaseTimeoutMs: timeoutMs } = operation
  return openPostgres({ url, poolSize, timeoutMs }, error =>
    logger.warn(`An idle connection was lost: ${error.message}`),
  )
}

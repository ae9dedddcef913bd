import type { OnApplicationShutdown } from '@nestjs/common'
import { DrizzleQueryError, sql } from 'drizzle-orm'
import { unavailable } from '../errors/api-error.js'
import type { Connection, Db } from './connection.js'

/** The one way to the database: an outage becomes `DATABASE_UNAVAILABLE` (503) here and nowhere else. */
export class Database implements OnApplicationShutdown {
  constructor(private readonly connection: Connection) {}

  /** Runs single statements. */
  async run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    try {
      return await work(this.connection.db)
    } catch (error) {
      const plain = withoutParameters(error)
      throw this.isOutage(error) ? unavailable('DATABASE_UNAVAILABLE', plain) : plain
    }
  }

  /** Runs `work` in a transaction that is committed when it returns and rolled back when it throws. */
  transaction<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    return this.run(db => db.transaction(work as (transaction: unknown) => Promise<T>))
  }

  /** Throws `DATABASE_UNAVAILABLE` when the database does not answer. */
  async ping(): Promise<void> {
    await this.run(db => db.execute(sql`select 1`))
  }

  onApplicationShutdown(): Promise<void> {
    return this.connection.close()
  }

  /** Drizzle wraps the driver's error, which is what tells. */
  private isOutage(error: unknown): boolean {
    const { cause } = error as { cause?: unknown }
    return (
      this.connection.isOutage(error) || (typeof cause === 'object' && cause !== null && this.isOutage(cause))
    )
  }
}

/** Drizzle's message has the values of a query in it, which may be secrets; ours has its text alone. */
function withoutParameters(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error
  const { cause, query } = error
  return new Error(`Query failed: ${cause?.message ?? 'no reason given'} (${query})`, { cause })
}

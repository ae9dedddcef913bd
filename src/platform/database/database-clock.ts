import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import { Clock } from '../time.js'
import { Database, rowsOf } from './database.js'

/** The clock of the database's machine, which all replicas share. */
@Injectable()
export class DatabaseClock {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** By how much our clock is ahead of it; negative when it is behind. The transit time counts against us. */
  async secondsAhead(): Promise<number> {
    const time = sql`select extract(epoch from clock_timestamp())::float8 as seconds`
    const [row] = rowsOf<{ seconds: number }>(await this.database.run(db => db.execute(time)))
    return this.clock.now().getTime() / 1000 - Number(row?.seconds)
  }
}

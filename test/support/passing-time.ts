import { sql } from 'drizzle-orm'
import { Database } from '../../src/database/database.js'
import type { TestApp } from './test-app.js'

/** Time passes, for the leases of jobs too: they end by the database's clock, which no test can move. */
export async function passTime(app: TestApp, seconds: number): Promise<void> {
  app.clock.advance(seconds)
  await ageLeases(app, seconds)
}

/** As if the jobs had run so much earlier. */
export async function ageLeases(app: TestApp, seconds: number): Promise<void> {
  await app.app
    .get(Database)
    .run(db =>
      db.execute(
        sql`update leases set until = until - make_interval(secs => ${seconds}) where holder is null`,
      ),
    )
}

import { sql } from 'drizzle-orm'
import type { TestApp } from './test-app.js'

/** Advances the clock, and expires job leases, which the database times. */
export async function passTime(app: TestApp, seconds: number): Promise<void> {
  app.clock.advance(seconds)
  await ageLeases(app, seconds)
}

/** Moves the leases back, as if the jobs had run that much earlier. */
export async function ageLeases(app: TestApp, seconds: number): Promise<void> {
  await app.query(sql`update leases set until = until - make_interval(secs => ${seconds})`)
}

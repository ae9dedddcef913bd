import { eq } from 'drizzle-orm'
import type { Database } from '../platform/database/database.js'
import { satellites } from '../platform/database/schema/satellites.js'

/** The name and the branding of a satellite; null once it has been removed. */
export async function brandingOf(database: Database, id: string) {
  const { name, branding } = satellites
  const [row] = await database.run(db =>
    db.select({ name, branding }).from(satellites).where(eq(satellites.id, id)),
  )
  return row ?? null
}

import { listedOrigins } from '../../../cors/satellite.js'
import type { Settings } from '../../../platform/config/settings.js'
import { withPostgres } from '../database/postgres-session.js'

/**
 * The first origin of ALLOWED_ORIGINS whose pages the service has to answer; null when there is none. While the
 * database cannot be asked, which is reported elsewhere, none counts as suspended.
 */
export async function openSatellite(settings: Settings): Promise<string | null> {
  const listed = [...listedOrigins(settings)]
  const suspended = await suspendedOf(listed, settings.databaseUrl).catch((): string[] => [])
  return listed.find(origin => !suspended.includes(origin)) ?? null
}

/** A registered satellite takes precedence over the list. */
async function suspendedOf(origins: readonly string[], databaseUrl: string): Promise<string[]> {
  if (origins.length === 0 || databaseUrl.startsWith('pglite:')) return []
  const rows = await withPostgres(databaseUrl, postgres =>
    postgres.rows<{ origin: string }>(
      `select origin from satellites where state = 'suspended' and origin = any($1)`,
      [origins],
    ),
  )
  return rows.map(({ origin }) => origin)
}

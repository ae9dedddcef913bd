import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm'
import { matchesPattern, parentOf } from '../../cors/satellite-map.js'
import type { Db } from '../../platform/database/connection.js'
import { satellites } from '../../platform/database/schema/satellites.js'
import { type RegisteredSatellite, type SatelliteRow, selectSatellites } from '../registered-satellite.js'

/** What an account has, or wants to have. */
export type OriginClaim = Pick<SatelliteRow, 'accountId' | 'origin' | 'kind'>

/**
 * The satellites of other accounts, active or suspended, that have this origin; for a preview pattern also those
 * whose patterns could cover the same hosts.
 */
export function holdersElsewhere(db: Db, { accountId, origin, kind }: OriginClaim) {
  const isSame = kind === 'preview' ? haveSameParent(origin) : eq(satellites.origin, origin)
  return selectSatellites(db)
    .where(and(isSame, ne(satellites.state, 'pending'), ne(satellites.accountId, accountId)))
    .orderBy(asc(satellites.id))
}

/** Like {@link holdersElsewhere}, and locks them against changes until the transaction ends. */
export function lockHoldersElsewhere(transaction: Db, claim: OriginClaim): Promise<RegisteredSatellite[]> {
  return holdersElsewhere(transaction, claim).for('update')
}

/** Whether an operator has suspended another satellite, of any account, that shares hosts with this one. */
export async function isBarredByAnother(db: Db, { id, origin, kind }: SatelliteRow): Promise<boolean> {
  const barred = await db
    .select({ origin: satellites.origin, kind: satellites.kind })
    .from(satellites)
    .where(and(ne(satellites.id, id), eq(satellites.suspendedBy, 'operator')))
  return barred.some(other =>
    kind === 'preview' && other.kind === 'preview'
      ? parentOf(other.origin) === parentOf(origin)
      : matchesPattern(other.origin, origin) || matchesPattern(origin, other.origin),
  )
}

/** Until the transaction ends, nobody else can acquire this origin. */
export async function lockOrigin(transaction: Db, origin: string): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${parentOf(origin)}, 0))`)
}

function haveSameParent(pattern: string): SQL | undefined {
  const parent = sql`substring(${satellites.origin} from position('.' in ${satellites.origin}) + 1)`
  // For the index, whose `where` must appear here verbatim.
  return and(sql`${satellites.kind} = 'preview'`, sql`${parent} = ${parentOf(pattern)}`)
}

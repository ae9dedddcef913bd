import { eq } from 'drizzle-orm'
import type { Actor } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { satelliteProofs, satellites } from '../platform/database/schema/satellites.js'
import { ApiError } from '../platform/errors/api-error.js'

export type SatelliteRow = typeof satellites.$inferSelect
export type ProofRow = typeof satelliteProofs.$inferSelect

/** A satellite of an account, in any state, with the proof that it belongs to the account. */
export interface RegisteredSatellite {
  readonly satellite: SatelliteRow
  readonly proof: ProofRow
}

/** A member of the account, or an operator acting for it. */
export type AccountActor = Actor & Pick<Required<Actor>, 'accountId'>

/** All satellites with their proofs; add a `where`. */
export function selectSatellites(db: Db) {
  return db
    .select({ satellite: satellites, proof: satelliteProofs })
    .from(satellites)
    .innerJoin(satelliteProofs, eq(satelliteProofs.satelliteId, satellites.id))
    .$dynamic()
}

/** Whether a check has not found the proof, and its account was told. An operator's decision stands. */
export function isFailing({ satellite, proof }: RegisteredSatellite): boolean {
  return proof.failures > 0 && satellite.suspendedBy !== 'operator'
}

/** Throws `SATELLITE_SUSPENDED` for one that an operator has suspended, unless the actor is one. */
export function requireNotSuspendedByOperator(
  { client }: AccountActor,
  { satellite }: RegisteredSatellite,
): void {
  if (client && satellite.suspendedBy === 'operator')
    throw new ApiError('SATELLITE_SUSPENDED', { detail: 'An operator has suspended this satellite' })
}

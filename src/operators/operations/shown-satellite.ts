import type { RegisteredSatellite } from '../../satellites/registered-satellite.js'

/** A satellite as the console shows it. */
export function shownSatellite({ satellite, proof }: RegisteredSatellite) {
  const { id, accountId, origin, name, kind, state, suspendedBy, createdAt } = satellite
  const { provenAt, checkedAt, failingSince } = proof
  return {
    id,
    accountId,
    origin,
    name,
    kind,
    state,
    suspendedBy,
    createdAt,
    provenAt,
    checkedAt,
    failingSince,
  }
}

import type { RegisteredSatellite } from '../registered-satellite.js'
import type { ProofMethod, ProofResult } from '../satellite-proving.js'

/** A satellite, and what a look at its proof found. */
export interface Checked {
  readonly registered: RegisteredSatellite
  readonly result: ProofResult
}

/** Where somebody has answered in this run, whose own network is then not what is down. */
export function answeredPlaces(checked: readonly Checked[]): ReadonlySet<ProofMethod> {
  const places = (['dns', 'file'] as const).filter(place =>
    checked.some(({ result: { lookups } }) => lookups[place]?.isOutage === false),
  )
  return new Set(places)
}

/**
 * What a check means. Silence where the proof was counts as `failed`, or else whoever has taken over a host
 * could stay for ever by not answering; but only while others answer there, because our own outage says
 * nothing about satellites: `unanswered`.
 */
export function outcomeOf(
  { registered: { proof }, result: { method, lookups } }: Checked,
  answered: ReadonlySet<ProofMethod>,
): 'found' | 'failed' | 'unanswered' {
  if (method) return 'found'
  const place = proof.method === 'file' ? 'file' : 'dns'
  return lookups[place]?.isOutage === false || answered.has(place) ? 'failed' : 'unanswered'
}

import type { RegisteredSatellite } from '../registered-satellite.js'
import type { ProofMethod, ProofResult } from '../verification/satellite-proof-lookup.js'

/** A satellite, and what the look-up of its proof found. */
export interface Checked {
  readonly registered: RegisteredSatellite
  readonly result: ProofResult
}

/** The methods by which anybody has answered in this run, which means that our own network is up there. */
export function respondingMethods(checked: readonly Checked[]): ReadonlySet<ProofMethod> {
  const methods = (['dns', 'file'] as const).filter(method =>
    checked.some(({ result: { lookups } }) => lookups[method]?.isOutage === false),
  )
  return new Set(methods)
}

/**
 * What a check means. No answer from where the proof used to be counts as `failed`: otherwise somebody who
 * took over a host could keep it forever by not answering. But only while others answer there, because our
 * own outage says nothing about satellites: then it is `unanswered`.
 */
export function outcomeOf(
  { registered: { proof }, result: { method, lookups } }: Checked,
  answered: ReadonlySet<ProofMethod>,
): 'found' | 'failed' | 'unanswered' {
  if (method) return 'found'
  const place = proof.method === 'file' ? 'file' : 'dns'
  return lookups[place]?.isOutage === false || answered.has(place) ? 'failed' : 'unanswered'
}

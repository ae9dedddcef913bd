import type { Settings } from '../config/settings.js'

/** What a page of this origin may do here. */
export type CorsPolicy =
  /** No Origin header: not a cross-origin request of a browser. */
  | { readonly kind: 'none' }
  | { readonly kind: 'main'; readonly origin: string }
  | { readonly kind: 'satellite'; readonly origin: string }
  | { readonly kind: 'refused' }

export type KnownOrigins = Pick<Settings, 'mainOrigin' | 'satelliteOrigins'>

const NONE: CorsPolicy = { kind: 'none' }
const REFUSED: CorsPolicy = { kind: 'refused' }

/**
 * Compares exact bytes, without parsing or patterns, so `null`, another port, case or a trailing dot are
 * simply not listed.
 */
export function corsPolicyFor(origin: string | undefined, known: KnownOrigins): CorsPolicy {
  if (origin === undefined) return NONE
  if (origin === known.mainOrigin) return { kind: 'main', origin }
  if ((known.satelliteOrigins as ReadonlySet<string>).has(origin)) return { kind: 'satellite', origin }
  return REFUSED
}

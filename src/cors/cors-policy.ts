/** What a page of this origin may do here. */
export type CorsPolicy =
  /** No Origin header: not a cross-origin request of a browser. */
  | { readonly kind: 'none' }
  | { readonly kind: 'main'; readonly origin: string }
  | { readonly kind: 'satellite'; readonly origin: string }
  /** The operator console's, at its own host: browsers require no permission for its pages. */
  | { readonly kind: 'console' }
  | { readonly kind: 'refused' }

export interface KnownOrigins {
  readonly mainOrigin: string
  /** Null or left out where there is no operator console. */
  readonly operatorOrigin?: string | null
  /** Of active satellites. */
  readonly satellites: { has(origin: string): boolean }
}

const NONE: CorsPolicy = { kind: 'none' }
const REFUSED: CorsPolicy = { kind: 'refused' }

/**
 * Compares exact bytes, without parsing, so `null`, another port, case or a trailing dot simply do not match.
 * Only the first label of a preview's host is compared with a pattern.
 */
export function corsPolicyFor(origin: string | undefined, known: KnownOrigins): CorsPolicy {
  if (origin === undefined) return NONE
  if (origin === known.mainOrigin) return { kind: 'main', origin }
  if (origin === known.operatorOrigin) return { kind: 'console' }
  if (known.satellites.has(origin)) return { kind: 'satellite', origin }
  return REFUSED
}

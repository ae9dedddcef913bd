import type { Session } from '../session.js'

/**
 * The satellite that a session is confined to; null when it may see everything. The main site and apps see
 * everything of their user. A satellite is a customer's page: it must not learn where else its visitors go,
 * or from which addresses, unless the user has recently re-authenticated.
 */
export function confinementOf(
  { source, origin }: Pick<Session, 'source' | 'origin'>,
  isReauthenticated: boolean,
): string | null {
  return source === 'main' || isReauthenticated ? null : origin
}

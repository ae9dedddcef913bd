import type { Session } from './session.js'

/**
 * The satellite that is all a session may know of, null for no such limit. The main site and apps see everything of their
 * user. A satellite is a customer's page: it is told neither where else its visitors go nor from which addresses,
 * unless its user has given the password again lately.
 */
export function confinementOf(
  { source, origin }: Pick<Session, 'source' | 'origin'>,
  isReauthenticated: boolean,
): string | null {
  return source === 'main' || isReauthenticated ? null : origin
}

import { ApiError } from '../errors/api-error.js'
import type { User } from '../users/user.js'

/**
 * Throws `OWNER_REQUIRED` (403) for a member, `SESSION_NOT_FOUND` for a user who has been removed or disabled
 * since they logged in.
 */
export function requireOwner(user: User | null | undefined): User {
  if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
  if (user.role !== 'owner') throw new ApiError('OWNER_REQUIRED')
  return user
}

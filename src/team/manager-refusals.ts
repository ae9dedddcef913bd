import type { ErrorCode } from '../errors/error-codes.js'
import { TOKEN_REFUSALS } from '../http/documented.js'

/** Refusals of every team route. */
export const MANAGER_REFUSALS: readonly ErrorCode[] = [
  ...TOKEN_REFUSALS,
  'SESSION_NOT_FOUND',
  'CROSS_SITE_REFUSED',
  'SESSION_COOKIE_REQUIRED',
  'MAIN_SOURCE_REQUIRED',
  'SESSION_MISMATCH',
  'PERMISSION_REQUIRED',
  'DATABASE_UNAVAILABLE',
  'SESSION_STORE_UNAVAILABLE',
]

import type { ErrorCode } from '../errors/error-codes.js'
import { TOKEN_REFUSALS } from '../http/documented.js'

/** Any route that is for the main site alone. */
export const MAIN_SITE_REFUSALS: readonly ErrorCode[] = [
  ...TOKEN_REFUSALS,
  'SESSION_NOT_FOUND',
  'CROSS_SITE_REFUSED',
  'SESSION_COOKIE_REQUIRED',
  'MAIN_SOURCE_REQUIRED',
  'SESSION_MISMATCH',
  'DATABASE_UNAVAILABLE',
  'SESSION_STORE_UNAVAILABLE',
]

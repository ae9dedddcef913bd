import { StartError } from '../errors/start-error.js'

/**
 * There is no such database, or no schema of its search_path; this user may not create tables in it (SQLSTATE,
 * PostgreSQL, appendix A).
 */
const NOT_SET_UP = new Set(['3D000', '3F000', '42501'])

/** What the start fails with: the error itself, unless an operator can fix its cause. */
export function startErrorOf(error: unknown, isOutage: boolean): unknown {
  const cause = deepestCause(error)
  if (!isOutage && !NOT_SET_UP.has((cause as { code?: string }).code ?? '')) return error
  return new StartError(`DATABASE_URL cannot be used: ${messageOf(cause)}`, { cause: error })
}

/** Drizzle wraps the driver's error. */
function deepestCause(error: unknown): unknown {
  const { cause } = error as Error
  return cause instanceof Error ? deepestCause(cause) : error
}

/** A host name with several addresses yields one error for each and no message of its own. */
function messageOf(error: unknown): string {
  const { message } = error as Error
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : message
}

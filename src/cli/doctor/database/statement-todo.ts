/** PostgreSQL: insufficient_privilege, and query_canceled, which is how a statement ends that takes too long. */
const NO_RIGHT = '42501'
const CANCELED = '57014'
/** Of the pg package, and of the limit of a whole check. */
const TOO_LATE = /^(Query read timeout|no answer in)/

/** What to do when a check's statement fails; `readable` is what it reads. */
export function statementTodo(readable: string): (error: unknown) => string {
  return error => {
    const { code, message } = error as { readonly code?: string; readonly message?: string }
    if (code === NO_RIGHT) return `Give the user of DATABASE_URL the right to read ${readable}`
    if (code === CANCELED || TOO_LATE.test(message ?? ''))
      return 'PostgreSQL is slow, or something holds locks: look at pg_stat_activity, then run doctor again'
    return 'Look at the log of PostgreSQL'
  }
}

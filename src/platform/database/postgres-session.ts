/**
 * What the server, the database or the role may have set otherwise, and what reading an answer relies on. Without quotes,
 * so that they can stand in PgBouncer's `connect_query` (docs/operations/postgresql.md).
 */
export const SESSION_SETTINGS = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
} as const

/** Of every transaction that does not say otherwise. */
export const ISOLATION_LEVEL = 'isolation level read committed'

/** Statements for a new session. */
export const SET_SESSION = `${settingWith('set')}; set session characteristics as transaction ${ISOLATION_LEVEL}`

/** The same for one transaction, which has to begin with {@link ISOLATION_LEVEL}. */
export const SET_LOCAL = settingWith('set local')

function settingWith(verb: string): string {
  return Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `${verb} ${name} = ${value}`)
    .join('; ')
}

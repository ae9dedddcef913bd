import { ApiError } from '../errors/api-error.js'

/**
 * SQLSTATE classes of an outage (PostgreSQL, appendix A): connection, authorization (credentials being
 * rotated), resources, operator intervention, system; and two states: read-only (a standby), a transaction
 * left idle.
 */
const OUTAGE_CLASSES = new Set(['08', '28', '53', '57', '58'])
const READ_ONLY = '25006'
const OUTAGE_STATES = new Set([READ_ONLY, '25P03'])
const SQLSTATE = /^(?!E[A-Z]{4}$)[0-9A-Z]{5}$/
/** Of the operating system, such as ECONNREFUSED and EMFILE; of TLS, and of the server's certificate. */
const CONNECTION_CODES = /^E(?!RR_)[A-Z_]+$|^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_/
const OUTAGE_MESSAGES =
  /timeout|Connection terminated|not queryable|does not answer|no answer in|SSL connection|calling end on the pool/i
/** Shutting down or starting up. */
const NOT_SERVING = /^57P0/
const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'

/**
 * Whether an error, or its cause, means that the database is out of reach rather than that the query was
 * wrong.
 */
export function isOutage(error: unknown): boolean {
  return causesOf(error).some(isOutageItself)
}

/** Whether a statement was refused because the server has become a standby. */
export function isReadOnly(error: unknown): boolean {
  return causesOf(error).some(({ code }) => code === READ_ONLY)
}

/** Whether a statement has waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return causesOf(error).some(({ code }) => code === LOCK_NOT_AVAILABLE)
}

/** Whether a transaction was rolled back for the sake of a concurrent one, and would succeed if repeated. */
export function isConflict(error: unknown): boolean {
  return causesOf(error).some(({ code }) => code === DEADLOCK || code === SERIALIZATION_FAILURE)
}

/** Whether a statement hit its time limit. */
export function isTooSlow(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, message = '' }) => code === QUERY_CANCELED || message === 'Query read timeout',
  )
}

/** A server that has no room for another connection, or refuses one, still serves the others. */
export function isAnswering(error: unknown): boolean {
  const { code = '' } = error as DriverError
  return SQLSTATE.test(code) && !NOT_SERVING.test(code)
}

interface DriverError {
  readonly code?: string
  readonly message?: string
  readonly name?: string
}

function isOutageItself(error: DriverError): boolean {
  const { code = '', message = '', name } = error
  if (name === 'AggregateError') return (error as AggregateError).errors.some(isOutageItself)
  if (!code) return OUTAGE_MESSAGES.test(message)
  if (!SQLSTATE.test(code)) return CONNECTION_CODES.test(code)
  return OUTAGE_CLASSES.has(code.slice(0, 2)) || OUTAGE_STATES.has(code)
}

/** Drizzle wraps the driver's error, which has the code. The cause of a refusal of ours is not the database's error. */
function causesOf(error: unknown): DriverError[] {
  const found: DriverError[] = []
  for (let at = error; isObject(at) && !(at instanceof ApiError); at = (at as { cause?: unknown }).cause)
    found.push(at as DriverError)
  return found
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

import { ApiError } from '../errors/api-error.js'
import { EvictingServerError } from './server-facts.js'

/** Replies that mean "cannot serve now", not "wrong command". */
export const OUTAGE_REPLIES =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY|UNKILLABLE)/

/** Whether Redis cannot serve now. `reply` is the error that it answered with, null if it did not answer. */
export function isOutage(error: unknown, reply: string | null): boolean {
  if (reply !== null) return OUTAGE_REPLIES.test(reply)
  // The package's error for a key whose slot no server has.
  if (error instanceof TypeError) return /undefined \(reading 'master'\)/.test(error.message)
  return !(error instanceof ApiError || error instanceof EvictingServerError)
}

import { isLoopback } from '../../platform/config/origin.js'
import type { Settings } from '../../platform/config/settings.js'
import { type Finding, fault } from './finding.js'

/**
 * The fault that what `npm start` runs at `url` is not running; null for any other error, because then the
 * settings may be wrong.
 */
export function notStarted(
  check: string,
  { environment }: Settings,
  url: URL,
  error: unknown,
): Finding | null {
  const isOfDevelopment = environment === 'development' && isLoopback(url.hostname)
  if (!isOfDevelopment || !isRefused(error)) return null
  return fault(check, `Nothing answers at ${url.host}`, 'Run npm start, which has it there')
}

/** Stripe's package keeps the error of the connection in `detail`, the mail library in its message. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message, cause, detail } = error as NodeJS.ErrnoException & { detail?: unknown }
  return code === 'ECONNREFUSED' || message.includes('ECONNREFUSED') || isRefused(cause) || isRefused(detail)
}

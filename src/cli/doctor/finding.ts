import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { EXPIRY_TOLERANCE_SECONDS } from '@mainstay-auth/verify/token-rules'
import { hostOf, isLoopback } from '../../platform/config/origin.js'
import type { Settings } from '../../platform/config/settings.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { within } from '../../platform/time.js'

/** `fault`: something is wrong, and the operator has to act. `skipped`: it could not be examined. */
export type FindingStatus = 'ok' | 'warning' | 'fault' | 'skipped'

/** What one check of an installation has found. */
export interface Finding {
  /** The part and what about it, such as `redis.policy`. */
  readonly check: string
  readonly status: FindingStatus
  readonly saw: string
  /** The one thing to do; only for warnings and faults. */
  readonly todo?: string
}

export function ok(check: string, saw: string): Finding {
  return { check, status: 'ok', saw }
}

export function warning(check: string, saw: string, todo: string): Finding {
  return { check, status: 'warning', saw, todo }
}

export function fault(check: string, saw: string, todo: string): Finding {
  return { check, status: 'fault', saw, todo }
}

export function skipped(check: string, saw: string): Finding {
  return { check, status: 'skipped', saw }
}

/** One subject to examine. */
export interface Check {
  /** Stands for its findings when it fails as a whole. */
  readonly name: string
  /** What to do when it fails as a whole, for any error or for this one. */
  readonly todo: string | ((error: unknown) => string)
  /** For one that only runs others: they have their own time limits, and what they have found must not be lost. */
  readonly isGroup?: true
  run(): Promise<readonly Finding[]> | readonly Finding[]
}

/** Longer than any part of a check waits for an answer, so that their own explanations come first. */
const LIMIT_MS = 60_000

/** The findings of all checks, in their order. Never rejects: a check that fails is a fault. */
export async function runChecks(checks: readonly Check[], limitMs = LIMIT_MS): Promise<Finding[]> {
  const findings = await Promise.all(checks.map(check => runCheck(check, limitMs)))
  return findings.flat()
}

/** Like {@link runChecks}, one after the other, for checks that share a connection. */
export async function runInTurn(checks: readonly Check[], limitMs = LIMIT_MS): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await runCheck(check, limitMs)))
  return findings
}

async function runCheck(check: Check, limitMs: number): Promise<readonly Finding[]> {
  try {
    const run = (async () => check.run())()
    return await (check.isGroup ? run : within(limitMs, run))
  } catch (error) {
    const { name, todo } = check
    return [fault(name, causeMessage(error), typeof todo === 'string' ? todo : todo(error))]
  }
}

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

/** Two clocks that are kept by NTP differ by far less. */
const WARN_FROM_SECONDS = 1

/** A clock that was read somewhere else, between two readings of ours. */
interface ClockReading {
  readonly before: Date
  readonly there: Date
  readonly after: Date
  /** How coarse the other clock is: an HTTP date has whole seconds. */
  readonly resolutionSeconds?: number
}

/**
 * How far the clock of `whose` is from ours: a fault from five seconds on, when a token can be accepted on one
 * machine and refused on another. The answer's transit time counts in the clock's favour.
 */
export function compareClocks(
  check: string,
  whose: string,
  { before, there, after, resolutionSeconds = 0 }: ClockReading,
): Finding {
  const aheadMs = Math.max(0, there.getTime() - after.getTime())
  const behindMs = Math.max(0, before.getTime() - there.getTime() - resolutionSeconds * 1000)
  const seconds = Math.max(aheadMs, behindMs) / 1000
  if (seconds < WARN_FROM_SECONDS) return ok(check, `${whose} has the time of this machine`)
  const saw = `${whose} is ${seconds.toFixed(1)} s ${aheadMs > behindMs ? 'ahead of' : 'behind'} this machine`
  const todo = 'Synchronise the clocks of all machines with NTP'
  return seconds < EXPIRY_TOLERANCE_SECONDS ? warning(check, saw, todo) : fault(check, saw, todo)
}

/** Certificates are usually renewed 30 days before they expire. */
const WARN_DAYS = 14
const DAY_MS = 24 * 60 * 60 * 1000

/** Whether a certificate (PEM or DER) is for the host of `url` and still valid for a while. */
export function certificateFinding(
  check: string,
  certificate: Buffer | string,
  url: string,
  now: Date,
): Finding {
  const { validToDate, ...read } = readCertificate(certificate)
  const { hostname } = new URL(url)
  if (!read.isFor(hostname))
    return fault(check, `The certificate is not for ${hostname}`, `Have one made for ${hostname}`)
  const days = Math.floor((validToDate.getTime() - now.getTime()) / DAY_MS)
  const until = validToDate.toISOString().slice(0, 10)
  if (days < 0)
    return fault(
      check,
      `The certificate expired on ${until}`,
      'Renew it, and find out why it was not renewed',
    )
  if (days < WARN_DAYS)
    return warning(
      check,
      `The certificate expires on ${until}`,
      'Renew it, and find out why it was not renewed',
    )
  return ok(check, `the certificate is valid until ${until}`)
}

function readCertificate(bytes: Buffer | string) {
  const certificate = new X509Certificate(bytes)
  return {
    validToDate: new Date(certificate.validTo),
    isFor: (hostname: string) => {
      const host = hostOf({ hostname })
      const found = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)
      return found !== undefined
    },
  }
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1.4 GB`, in powers of ten. */
export function inBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const amount = bytes / 1000 ** power
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${UNITS[power]}`
}

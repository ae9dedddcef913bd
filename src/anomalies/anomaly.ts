import type { AnomalyAction, AnomalyPolicy } from '../platform/config/readers.js'
import { distanceKm, type Location } from '../platform/geoip.js'
import { addressFamily, deviceName, subnetOf } from '../platform/http/request.js'
import type { KnownDevice } from './known-devices.js'

/** The score of each reason. A login and a use of a session can each reach 100. */
const SCORES = {
  'new device': 40,
  'new network': 20,
  // Of a known kind, on a new network: another person may have the same browser.
  'new device id': 20,
  'changed user agent': 50,
  'changed network': 10,
  // Never alone, only with a new or changed network.
  'changed address family': 5,
  // High enough to report, too low to act on alone, because a VPN moves its user instantly.
  'impossible speed': 35,
} as const

export type AnomalyReason = keyof typeof SCORES

/** How unusual something was, from 0 (not at all) to 100, and why. */
export interface Anomaly {
  readonly score: number
  readonly reasons: readonly AnomalyReason[]
}

/** Where and when an address was used. */
export interface ClientLocation {
  /** An address or network. */
  readonly ip: string
  readonly place: Location | null
  readonly at: Date
}

/** A use of a session. */
export interface Use extends ClientLocation {
  readonly userAgent: string | null
}

/**
 * Compares a login with earlier ones. `before` is where the previous login came from. A user's first login is
 * never unusual.
 */
export function loginAnomaly(
  known: KnownDevice['known'],
  before: ClientLocation | null,
  now: ClientLocation,
): Anomaly {
  if (!known) return anomalyOf([])
  return anomalyOf([
    !known.device && 'new device',
    !known.network && 'new network',
    known.device && !known.network && !known.deviceId && 'new device id',
    ...(known.network || !before ? [] : moves(before, now)),
  ])
}

/**
 * Compares a refresh with the previous use of the session. A new version of the same browser is not an
 * anomaly.
 */
export function refreshAnomaly(before: Use, now: Use): Anomaly {
  return anomalyOf([
    deviceName(before.userAgent) !== deviceName(now.userAgent) && 'changed user agent',
    ...(subnetOf(before.ip) === subnetOf(now.ip) ? [] : ['changed network' as const, ...moves(before, now)]),
  ])
}

/** The actions that the policy has for this score. Every action implies `log`. */
export function actionsFor(score: number, policy: AnomalyPolicy): ReadonlySet<AnomalyAction> {
  const due = Object.entries(policy).filter(([, minScore]) => score >= minScore)
  return new Set(due.length === 0 ? [] : ['log', ...due.map(([action]) => action as AnomalyAction)])
}

function moves(before: ClientLocation, now: ClientLocation): (AnomalyReason | false)[] {
  return [
    addressFamily(before.ip) !== addressFamily(now.ip) && 'changed address family',
    isImpossiblyFast(before, now) && 'impossible speed',
  ]
}

/** Airliners fly at 900 km/h over ground, 1,000 with the wind. */
const MAX_KM_PER_HOUR = 1_000
const MS_PER_HOUR = 3_600_000

/**
 * Whether the user would have had to travel faster than is possible, even with both locations off by their full
 * inaccuracy. False when a place is unknown.
 */
function isImpossiblyFast(from: ClientLocation, to: ClientLocation): boolean {
  if (!from.place || !to.place) return false
  const minKm = distanceKm(from.place, to.place) - from.place.accuracyKm - to.place.accuracyKm
  const hours = Math.max(0, to.at.getTime() - from.at.getTime()) / MS_PER_HOUR
  return minKm > 0 && minKm > hours * MAX_KM_PER_HOUR
}

function anomalyOf(found: readonly (AnomalyReason | false)[]): Anomaly {
  const reasons = found.filter(reason => reason !== false)
  return { score: reasons.reduce((sum, reason) => sum + SCORES[reason], 0), reasons }
}

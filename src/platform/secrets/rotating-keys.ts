import { secondsAfter, unixSeconds } from '../time.js'

/** Not used yet, in use, or accepted only for what it signed or sealed before. */
export type KeyState = 'next' | 'current' | 'retired'

/** Fields of every key in a key file. */
export interface RotatingKey {
  readonly kid: string
  readonly state: KeyState
  readonly createdAt: string
  /** When a rotation made it current; the first key of a file has none, and neither have files of older releases. */
  readonly currentSince?: string
  readonly retiredAt?: string
}

/** A key is in the file for this long before it is used, so that everybody knows it by then. */
export const KNOWN_BEFORE_USE_SECONDS = 600

/**
 * The next key becomes current, the current one is retired, and `newKey` makes the next one; retired keys
 * stay. Throws an Error when the next key is younger than ten minutes, because it may not be known
 * everywhere.
 */
export function rotated<K extends RotatingKey>(
  keys: readonly K[],
  now: Date,
  newKey: (state: KeyState) => K,
): K[] {
  const next = keys.find(key => key.state === 'next')
  if (!next) throw new Error('The key file has no next key')
  const usableAt = secondsAfter(new Date(next.createdAt), KNOWN_BEFORE_USE_SECONDS)
  if (usableAt > now)
    throw new Error(
      `The next key may be used from ${usableAt.toISOString()} on: until then it may not be known everywhere`,
    )
  const retired = keys
    .filter(key => key.state !== 'next')
    .map(key => (key.state === 'current' ? { ...key, state: 'retired', retiredAt: now.toISOString() } : key))
  return [{ ...next, state: 'current', currentSince: now.toISOString() }, newKey('next'), ...(retired as K[])]
}

/** From when the age of a key counts: since it became the current one, or else since it was made. */
export function ageCountsFrom({ createdAt, currentSince }: Omit<RotatingKey, 'kid'>): Date {
  return new Date(currentSince ?? createdAt)
}

/** From when the ages of the current key and of the next one count, in seconds since 1970. */
export function creationTimes(
  keys: Iterable<{ readonly state: KeyState; readonly ageCountsFrom: Date }>,
): Readonly<Record<string, number>> {
  const inUse = [...keys].filter(({ state }) => state !== 'retired')
  return Object.fromEntries(inUse.map(key => [key.state, unixSeconds(key.ageCountsFrom)]))
}

/** Throws an Error unless exactly one key is current and no two have the same id. */
export function requireOneCurrent(keys: readonly Pick<RotatingKey, 'kid' | 'state'>[]): void {
  if (keys.filter(key => key.state === 'current').length !== 1)
    throw new Error('exactly one key must be current')
  if (new Set(keys.map(key => key.kid)).size !== keys.length) throw new Error('two keys have the same kid')
}

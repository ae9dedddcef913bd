import type { SessionHandle } from '../session.js'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Sessions are spread over 4,096 partitions by the first two characters of their handle, which are random. In
 * braces, those characters alone determine the slot of a Redis Cluster (its "hash tag"), so a partition and
 * its marker stay together when slots move.
 */
export const PARTITIONS: readonly string[] = [...LETTERS].flatMap(first =>
  [...LETTERS].map(second => first + second),
)

export function partitionOf(sid: SessionHandle): string {
  return sid.slice(0, 2)
}

export function sessionKey(sid: SessionHandle): string {
  return `session:{${partitionOf(sid)}}:${sid}`
}

/** Matches every {@link sessionKey}. */
export const SESSION_KEYS = 'session:*'

export function sidOfKey(sessionKey: string): string {
  return sessionKey.slice(sessionKey.lastIndexOf(':') + 1)
}

/** The change up to which the partition knows all of them, as `<generation>:<id>`. */
export function markerKey(partition: string): string {
  return `changes-applied:{${partition}}`
}

/** The newest change seen in the database, as `<generation>:<id>`: an older database does not have it. */
export const NEWEST_CHANGE_KEY = 'changes-newest'

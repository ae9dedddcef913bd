import { permissionBits, permissionsOfBits, type Source } from '../../permissions/permissions.js'
import type { Session } from '../session.js'
import type { SessionHandle } from '../session-id.js'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Sessions are spread over 4,096 partitions by the first two letters of their handle, which are random. In
 * braces, those letters alone determine the slot of a Redis Cluster (its "hash tag"), so a partition and its
 * marker stay together when slots move.
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

/** Up to which change the partition knows all of them, as `<generation>:<id>`. */
export function markerKey(partition: string): string {
  return `changes-applied:{${partition}}`
}

/**
 * How a session is stored in a Redis hash. One-letter field names, permissions as a number and times in
 * seconds keep it in a listpack of at most 256 bytes, because there are millions.
 */
export const FIELDS = {
  userId: 'u',
  accountId: 'a',
  source: 's',
  permissions: 'p',
  origin: 'o',
  ip: 'i',
  userAgent: 'g',
  createdAt: 'c',
  lastUsed: 'l',
  expiresAt: 'e',
  reauthenticatedAt: 'r',
} as const

/** If a grant was changed since the login, its version, so that an older one does not overwrite it. */
export const GRANT_VERSION = 'v'

const SOURCE_CODES: Readonly<Record<Source, string>> = { main: 'm', satellite: 's' }

/** The hash as a flat list of fields and values. */
export function encodeSession(session: Session): string[] {
  return [
    [FIELDS.userId, encodeUuid(session.userId)],
    [FIELDS.accountId, encodeUuid(session.accountId)],
    [FIELDS.source, SOURCE_CODES[session.source]],
    [FIELDS.permissions, String(permissionBits(session.permissions))],
    [FIELDS.ip, session.ip],
    [FIELDS.createdAt, encodeTime(session.createdAt)],
    [FIELDS.lastUsed, encodeTime(session.lastUsed)],
    [FIELDS.expiresAt, encodeTime(session.expiresAt)],
    ...(session.origin === null ? [] : [[FIELDS.origin, session.origin]]),
    ...(session.userAgent === null ? [] : [[FIELDS.userAgent, session.userAgent]]),
    ...(session.reauthenticatedAt === null
      ? []
      : [[FIELDS.reauthenticatedAt, encodeTime(session.reauthenticatedAt)]]),
  ].flat()
}

export function decodeSession(sid: SessionHandle, hash: Readonly<Record<string, string>>): Session {
  const field = (name: keyof typeof FIELDS) => hash[FIELDS[name]] as string
  return {
    sid,
    userId: decodeUuid(field('userId')),
    accountId: decodeUuid(field('accountId')),
    source: field('source') === SOURCE_CODES.main ? 'main' : 'satellite',
    permissions: permissionsOfBits(Number(field('permissions'))),
    origin: hash[FIELDS.origin] ?? null,
    ip: field('ip'),
    userAgent: hash[FIELDS.userAgent] ?? null,
    createdAt: decodeTime(field('createdAt')),
    lastUsed: decodeTime(field('lastUsed')),
    expiresAt: decodeTime(field('expiresAt')),
    reauthenticatedAt: timeOrNull(hash[FIELDS.reauthenticatedAt]),
  }
}

/** 22 characters instead of 36. */
function encodeUuid(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
}

function decodeUuid(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return [0, 8, 12, 16, 20].map((start, index, starts) => hex.slice(start, starts[index + 1])).join('-')
}

export function encodeTime(time: Date): string {
  return String(Math.floor(time.getTime() / 1000))
}

function timeOrNull(text: string | undefined): Date | null {
  return text === undefined ? null : decodeTime(text)
}

function decodeTime(text: string): Date {
  return new Date(Number(text) * 1000)
}

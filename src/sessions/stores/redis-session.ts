import { type AuthMethods, authMethods } from '../../permissions/auth-methods.js'
import { permissionBits, permissionsOfBits, type Source } from '../../permissions/permissions.js'
import { redisScript } from '../../redis/redis-connection.js'
import type { Session, SessionHandle } from '../session.js'
import type { ReauthenticationStamp } from './session-store.js'

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

/** The newest change that was seen in the database, as `<generation>:<id>`: an older database does not have it. */
export const NEWEST_CHANGE_KEY = 'changes-newest'

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
  amr: 'm',
  authTime: 't',
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
    ...(session.amr === PASSWORD ? [] : [[FIELDS.amr, String(session.amr)]]),
    ...(isAtLogin(session) ? [] : [[FIELDS.authTime, encodeTime(session.authTime)]]),
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
    amr: FIELDS.amr in hash ? (Number(field('amr')) as AuthMethods) : PASSWORD,
    authTime: timeOrNull(hash[FIELDS.authTime]) ?? decodeTime(field('createdAt')),
  }
}

/** Left out to save memory, as the password is that most sessions begin with. */
function isAtLogin({ authTime, createdAt }: Session): boolean {
  return authTime.getTime() === createdAt.getTime()
}

const PASSWORD = authMethods('pwd')

/** The arguments of {@link STAMP_REAUTHENTICATION} after the first. */
export function encodeStamp({ at, methods, movesAuthTime }: ReauthenticationStamp): string[] {
  return [encodeTime(at), String(methods), movesAuthTime ? '1' : '0']
}

/** 22 characters instead of 36. */
function encodeUuid(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
}

function decodeUuid(text: string): string {
  const hex = Buffer.from(text, 'base64url').toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
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

const { source, permissions, ip, userAgent, lastUsed, expiresAt, reauthenticatedAt, amr, authTime } = FIELDS

/** Each script has one key, so it runs on any node of a cluster, and is atomic. */

/** ARGV: expiry, then fields and values. */
export const CREATE = redisScript(`
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIREAT', KEYS[1], ARGV[1])`)

/** The hash, or nil when there is none or it has expired. ARGV: now. */
export const FIND = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return nil end
return redis.call('HGETALL', KEYS[1])`)

/**
 * FIND that also stamps lastUsed; does not bring back what has ended. ARGV: now. On a server without memory
 * the stamp is skipped, so people stay logged in. Any other refusal to write (a replica, a master cut off
 * from its replicas) is raised, because such a server may lack the latest revocations.
 */
export const TOUCH = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return nil end
local session = redis.call('HGETALL', KEYS[1])
local stamped = redis.pcall('HSET', KEYS[1], '${lastUsed}', ARGV[1])
if type(stamped) == 'table' and stamped.err and not string.find(stamped.err, 'OOM') then return stamped end
return session`)

/**
 * 1 if the session was at that address and is now at the other. ARGV: now, then ip and user agent (or empty),
 * before and after. HDEL first, as in {@link SET_PERMISSIONS}.
 */
export const UPDATE_CLIENT = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return 0 end
if redis.call('HGET', KEYS[1], '${ip}') ~= ARGV[2] then return 0 end
if (redis.call('HGET', KEYS[1], '${userAgent}') or '') ~= ARGV[3] then return 0 end
redis.call('HDEL', KEYS[1], '${ip}', '${userAgent}')
redis.call('HSET', KEYS[1], '${ip}', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], '${userAgent}', ARGV[5]) end
return 1`)

/**
 * 1 if the session is live and stamped; ARGV: now, then the time of the re-authentication, its methods, and 1
 * if that is the time of the authentication too; only `now` to void what there was. HDEL first, as in {@link SET_PERMISSIONS}.
 */
export const STAMP_REAUTHENTICATION = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return 0 end
redis.call('HDEL', KEYS[1], '${reauthenticatedAt}')
if ARGV[2] then
  local methods = bit.bor(redis.call('HGET', KEYS[1], '${amr}') or ${PASSWORD}, ARGV[3])
  redis.call('HSET', KEYS[1], '${reauthenticatedAt}', ARGV[2], '${amr}', methods)
  if ARGV[4] == '1' then redis.call('HSET', KEYS[1], '${authTime}', ARGV[2]) end
else
  redis.call('HSET', KEYS[1], '${authTime}', '0')
end
return 1`)

/**
 * ARGV: permission bits of a main session, of a satellite session, and the version of the grant; a session
 * that has a later one keeps it. HDEL first: a server without memory refuses only the first write of a
 * script, and never that one.
 */
export const SET_PERMISSIONS = redisScript(`
local source = redis.call('HGET', KEYS[1], '${source}')
if not source then return end
local version = redis.call('HGET', KEYS[1], '${GRANT_VERSION}')
if version and tonumber(version) > tonumber(ARGV[3]) then return end
redis.call('HDEL', KEYS[1], '${permissions}')
redis.call('HSET', KEYS[1], '${permissions}', source == 'm' and ARGV[1] or ARGV[2], '${GRANT_VERSION}', ARGV[3])`)

/** Removes a session that knows a later grant than ARGV[1]: it would ignore new ones up to that. */
export const REMOVE_IF_AHEAD = redisScript(`
local version = redis.call('HGET', KEYS[1], '${GRANT_VERSION}')
if version and tonumber(version) > tonumber(ARGV[1]) then redis.call('UNLINK', KEYS[1]) end`)

/**
 * Raises the marker of a partition, never lowers it. Returns 1 if it vouches for ARGV[2] now. ARGV:
 * generation, id, the id it has to vouch for already.
 */
export const RAISE_MARKER = redisScript(`
local generation, id = string.match(redis.call('GET', KEYS[1]) or '', '^(.-):(%d+)$')
if generation ~= ARGV[1] or tonumber(id) < tonumber(ARGV[3]) then return 0 end
if tonumber(id) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2]) end
return 1`)

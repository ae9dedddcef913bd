import {
  effectivePermissions,
  permissionBits,
  permissionsOfBits,
  type Source,
} from '../platform/permissions.js'
import { type RedisConnection, redisScript } from '../platform/redis/redis.js'
import { type AuthMethods, authMethods } from '../tokens/access-tokens.js'
import type { Session, SessionHandle } from './session.js'
import { changesOf, type ReauthenticationStamp, type StoreChanges } from './session-store.js'

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

/**
 * The phrases that most user agents consist of, after `shortUserAgent`. A phrase's code is its position in
 * the list, starting at 1: control characters, which no stored user agent contains. The list must never
 * change: sessions contain the codes for weeks, and Redis compares coded texts.
 */
const PHRASES: readonly string[] = [
  '(Windows NT 10.0; Win64; x64) ',
  '(Windows NT 10.0; Win64; x64; rv:',
  '(Macintosh; Intel Mac OS X 10_15_7) ',
  '(Macintosh; Intel Mac OS X 10.15; rv:',
  '(X11; Linux x86_64) ',
  '(X11; Linux x86_64; rv:',
  '(Linux; Android 10; K) ',
  '(iPhone; CPU iPhone OS ',
  '(iPad; CPU OS ',
  ' like Mac OS X) ',
  '(Android ',
  'X11; Linux x86_64) ',
  'Chrome/',
  '.0.0.0',
  ' Mobile',
  ' Edg/',
  ' OPR/',
  ' SamsungBrowser/',
  'Version/',
  ' Safari/605.1.15',
  ' Safari/604.1',
  ') Firefox/',
  // Truncated, as on nearly every iPhone.
  ' Safari/6',
]

/** The same in fewer bytes: 6 instead of 46 for Chrome on Windows. */
export function encodeUserAgent(userAgent: string): string {
  return PHRASES.reduce(
    (text, phrase, index) => text.replaceAll(phrase, String.fromCharCode(index + 1)),
    userAgent,
  )
}

/** Reverses {@link encodeUserAgent}; a text without codes is returned as it is. */
export function decodeUserAgent(coded: string): string {
  let text = ''
  let end = 0
  for (let at = 0; at < coded.length; at++) {
    const phrase = PHRASES[coded.charCodeAt(at) - 1]
    if (phrase === undefined) continue
    text += coded.slice(end, at) + phrase
    end = at + 1
  }
  return text + coded.slice(end)
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
  amr: 'm',
  authTime: 't',
} as const

/** The version of a grant that changed since the login, so that an older one does not overwrite it. */
const GRANT_VERSION = 'v'

const SOURCE_CODES: Readonly<Record<Source, string>> = { main: 'm', satellite: 's' }

/**
 * The form in which sessions are written. Every replica reads both. The previous release reads only `long`,
 * and answers a refresh of a `compact` session with 500.
 */
export type SessionForm = 'long' | 'compact'

/** The hash as a flat list of fields and values. */
export function encodeSession(session: Session, form: SessionForm): string[] {
  return [
    ...(form === 'compact' ? compactFields(session) : longFields(session)),
    [FIELDS.source, SOURCE_CODES[session.source]],
    [FIELDS.permissions, String(permissionBits(session.permissions))],
    [FIELDS.ip, session.ip],
    [FIELDS.lastUsed, encodeTime(session.lastUsed)],
    [FIELDS.expiresAt, encodeTime(session.expiresAt)],
    ...(session.userAgent === null ? [] : [[FIELDS.userAgent, userAgentIn(form, session.userAgent)]]),
    ...(session.reauthenticatedAt === null
      ? []
      : [[FIELDS.reauthenticatedAt, encodeTime(session.reauthenticatedAt)]]),
    ...(session.amr === PASSWORD ? [] : [[FIELDS.amr, String(session.amr)]]),
    ...(isAtLogin(session) ? [] : [[FIELDS.authTime, encodeTime(session.authTime)]]),
  ].flat()
}

export function decodeSession(sid: SessionHandle, hash: Readonly<Record<string, string>>): Session {
  const field = (name: keyof typeof FIELDS) => hash[FIELDS[name]] as string
  const { userId, accountId, createdAt } =
    FIELDS.accountId in hash ? decodeLong(hash) : decodeIds(field('userId'))
  return {
    sid,
    userId,
    accountId,
    source: field('source') === SOURCE_CODES.main ? 'main' : 'satellite',
    permissions: permissionsOfBits(Number(field('permissions'))),
    origin: decodeOrigin(hash[FIELDS.origin]),
    ip: field('ip'),
    userAgent: userAgentOrNull(hash[FIELDS.userAgent]),
    createdAt,
    lastUsed: decodeTime(field('lastUsed')),
    expiresAt: decodeTime(field('expiresAt')),
    reauthenticatedAt: timeOrNull(hash[FIELDS.reauthenticatedAt]),
    amr: FIELDS.amr in hash ? (Number(field('amr')) as AuthMethods) : PASSWORD,
    authTime: timeOrNull(hash[FIELDS.authTime]) ?? createdAt,
  }
}

export function userAgentIn(form: SessionForm, userAgent: string): string {
  return form === 'compact' ? encodeUserAgent(userAgent) : userAgent
}

function userAgentOrNull(text: string | undefined): string | null {
  return text === undefined ? null : decodeUserAgent(text)
}

function longFields({ userId, accountId, createdAt, origin }: Session): string[][] {
  return [
    [FIELDS.userId, encodeUuid(userId)],
    [FIELDS.accountId, encodeUuid(accountId)],
    [FIELDS.createdAt, encodeTime(createdAt)],
    ...(origin === null ? [] : [[FIELDS.origin, origin]]),
  ]
}

function decodeLong(hash: Readonly<Record<string, string>>) {
  return {
    userId: decodeUuid(hash[FIELDS.userId] as string),
    accountId: decodeUuid(hash[FIELDS.accountId] as string),
    createdAt: decodeTime(hash[FIELDS.createdAt] as string),
  }
}

/**
 * Both ids and the time of the login in one field, the origin without `https:/`, and a coded user agent: 54
 * bytes less, which moves the listpack from an allocation of 224 bytes to one of 160.
 */
function compactFields({ userId, accountId, createdAt, origin }: Session): string[][] {
  const ids = Buffer.from((userId + accountId).replaceAll('-', ''), 'hex').toString('base64url')
  return [
    [FIELDS.userId, ids + Math.floor(createdAt.getTime() / 1000).toString(36)],
    ...(origin === null ? [] : [[FIELDS.origin, origin.replace(HTTPS, '')]]),
  ]
}

/** 32 bytes in base64url. */
const IDS_LENGTH = 43

function decodeIds(text: string) {
  const hex = Buffer.from(text.slice(0, IDS_LENGTH), 'base64url').toString('hex')
  return {
    userId: asUuid(hex.slice(0, 32)),
    accountId: asUuid(hex.slice(32)),
    createdAt: new Date(Number.parseInt(text.slice(IDS_LENGTH), 36) * 1000),
  }
}

/** Stripped from an origin, which then begins with a slash, as no origin otherwise does. */
const HTTPS = /^https:\/(?=\/)/

function decodeOrigin(text: string | undefined): string | null {
  if (text === undefined) return null
  return text.startsWith('/') ? `https:/${text}` : text
}

/** Omitted to save memory, like the password method, which most sessions begin with. */
function isAtLogin({ authTime, createdAt }: Session): boolean {
  return authTime.getTime() === createdAt.getTime()
}

/** The value of `amr` when it is missing. */
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
  return asUuid(Buffer.from(text, 'base64url').toString('hex'))
}

function asUuid(hex: string): string {
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
 * FIND that also stamps lastUsed; never brings back a session that has ended. ARGV: now. On a server that is
 * out of memory the stamp is skipped, so that people stay logged in. Any other refusal to write (a replica, a
 * master cut off from its replicas) is raised, because such a server may lack the latest revocations.
 */
export const TOUCH = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return nil end
local session = redis.call('HGETALL', KEYS[1])
local stamped = redis.pcall('HSET', KEYS[1], '${lastUsed}', ARGV[1])
if type(stamped) == 'table' and stamped.err and not string.find(stamped.err, 'OOM') then return stamped end
return session`)

/**
 * 1 if the session was at that address and is now at the other. ARGV: now, then ip and user agent (or empty)
 * before and after, and the earlier user agent in the other form. HDEL first, as in {@link SET_PERMISSIONS}.
 */
export const UPDATE_CLIENT = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return 0 end
if redis.call('HGET', KEYS[1], '${ip}') ~= ARGV[2] then return 0 end
local agent = redis.call('HGET', KEYS[1], '${userAgent}') or ''
if agent ~= ARGV[3] and agent ~= ARGV[6] then return 0 end
redis.call('HDEL', KEYS[1], '${ip}', '${userAgent}')
redis.call('HSET', KEYS[1], '${ip}', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], '${userAgent}', ARGV[5]) end
return 1`)

/**
 * 1 if the session is live and stamped. ARGV: now, then the time of the re-authentication, its methods, and 1
 * if that is also the time of the authentication. HDEL first, as in {@link SET_PERMISSIONS}.
 */
export const STAMP_REAUTHENTICATION = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return 0 end
redis.call('HDEL', KEYS[1], '${reauthenticatedAt}')
local methods = bit.bor(redis.call('HGET', KEYS[1], '${amr}') or ${PASSWORD}, ARGV[3])
redis.call('HSET', KEYS[1], '${reauthenticatedAt}', ARGV[2], '${amr}', methods)
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], '${authTime}', ARGV[2]) end
return 1`)

/**
 * 1 if the session is live; its stamp and its login are then void. ARGV: now. HDEL first, as in {@link
 * SET_PERMISSIONS}.
 */
export const VOID_AUTHENTICATION = redisScript(`
local expiry = redis.call('HGET', KEYS[1], '${expiresAt}')
if not expiry or tonumber(expiry) <= tonumber(ARGV[1]) then return 0 end
redis.call('HDEL', KEYS[1], '${reauthenticatedAt}')
redis.call('HSET', KEYS[1], '${authTime}', '0')
return 1`)

/**
 * ARGV: permission bits of a main session, of a satellite session, and the version of the grant; a session
 * that has a later one keeps it. HDEL first: a server that is out of memory refuses only the first write of a
 * script, and never an HDEL.
 */
const SET_PERMISSIONS = redisScript(`
local source = redis.call('HGET', KEYS[1], '${source}')
if not source then return end
local version = redis.call('HGET', KEYS[1], '${GRANT_VERSION}')
if version and tonumber(version) > tonumber(ARGV[3]) then return end
redis.call('HDEL', KEYS[1], '${permissions}')
redis.call('HSET', KEYS[1], '${permissions}', source == 'm' and ARGV[1] or ARGV[2], '${GRANT_VERSION}', ARGV[3])`)

/** Removes a session that knows a later grant than ARGV[1]: it would ignore new ones up to that version. */
export const REMOVE_IF_AHEAD = redisScript(`
local version = redis.call('HGET', KEYS[1], '${GRANT_VERSION}')
if version and tonumber(version) > tonumber(ARGV[1]) then redis.call('UNLINK', KEYS[1]) end`)

/**
 * Raises the marker of a partition, never lowers it. Returns 1 if it now vouches for ARGV[2]. ARGV:
 * generation, id, the id that it must already vouch for.
 */
export const RAISE_MARKER = redisScript(`
local generation, id = string.match(redis.call('GET', KEYS[1]) or '', '^(.-):(%d+)$')
if generation ~= ARGV[1] or tonumber(id) < tonumber(ARGV[3]) then return 0 end
if tonumber(id) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2]) end
return 1`)

/** The changes that were not applied, and why. */
export interface FailedChanges {
  /** Null where no server has the slots. */
  readonly shard: string | null
  readonly changes: StoreChanges
  readonly error: unknown
}

/** Applies changes to the sessions in Redis, many at once. Safe to repeat. */
export class RedisChanges {
  constructor(private readonly redis: RedisConnection) {}

  shardOf(sid: SessionHandle): string | null {
    return this.redis.shardOf(sessionKey(sid))
  }

  /** Applies them on all shards in parallel; returns what failed, by shard. Never throws. */
  async apply(changes: StoreChanges): Promise<FailedChanges[]> {
    const shards = new Set(
      [...changes.ended, ...changes.grants.flatMap(({ sids }) => sids)].map(sid => this.shardOf(sid)),
    )
    const results = await Promise.all(
      [...shards].map(async (shard): Promise<FailedChanges | null> => {
        const part = shards.size === 1 ? changes : changesOf(changes, sid => this.shardOf(sid) === shard)
        try {
          await this.applyPart(part)
          return null
        } catch (error) {
          return { shard, changes: part, error }
        }
      }),
    )
    return results.filter(result => result !== null)
  }

  private async applyPart({ ended, grants }: StoreChanges): Promise<void> {
    for (const keys of inBatches(ended.map(sessionKey)))
      await this.redis.run(commands => commands.unlink([...keys]))
    const grantings = grants.flatMap(({ sids, granted, version }) => {
      const bits = (['main', 'satellite'] as const).map(source =>
        String(permissionBits(effectivePermissions(source, granted))),
      )
      return sids.map(sid => ({ key: sessionKey(sid), args: [...bits, String(version)] }))
    })
    for (const batch of inBatches(grantings))
      await Promise.all(batch.map(({ key, args }) => this.redis.runScript(SET_PERMISSIONS, key, args)))
  }
}

/** How many commands are sent at once, so that requests never wait long behind them. */
const AT_ONCE = 500

/** Splits what is to be sent to Redis into batches, keeping its order. */
export function* inBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += AT_ONCE) yield all.slice(start, start + AT_ONCE)
}

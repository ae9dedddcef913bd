import { redisScript } from '../../platform/redis/redis.js'
import { FIELDS, GRANT_VERSION, PASSWORD } from './redis-session.js'

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
export const SET_PERMISSIONS = redisScript(`
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

import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { sessions } from '../platform/database/schema/sessions.js'
import { isAnyOf } from '../platform/database/sql.js'
import { causeMessage } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import { countsOf, type Metrics } from '../platform/metrics.js'
import { permissionBits, permissionsOfBits, type Source } from '../platform/permissions.js'
import { type RedisConnection, redisScript } from '../platform/redis/redis.js'
import { SilentShards } from '../platform/redis/silent-shards.js'
import { Throttle, unixSeconds } from '../platform/time.js'
import type { AuthMethods } from '../tokens/access-tokens.js'
import { type ChangeFeed, COPY_LIFETIME_SECONDS, type CopyOrigin, isUnavailable } from './change-feed.js'
import { DatabaseSessionStore } from './database.session-store.js'
import { type IdleTimeouts, isIdle, type Session, type SessionHandle } from './session.js'
import type { ChangedSessions, ClientAddress } from './session-store.js'

/** Copies are renewed when they are this old, after the answer, so that hardly any client waits for the database. */
const RENEWED_AFTER_SECONDS = COPY_LIFETIME_SECONDS / 2
/** Longer than reading a session takes. */
const LEASE_MS = 5_000
/** How many deletions are sent at once, so that refreshes never wait long behind them. */
const DELETED_AT_ONCE = 500
/** More than an account has; without the rest, an answer waits until all processes know. */
const MAX_DELETED = 100_000
const LOG_EVERY_MS = 60_000

/** What a refresh got from Redis. */
const OUTCOMES = ['hit', 'miss', 'outdated', 'unknown', 'unavailable'] as const

/**
 * Sessions in the database, with copies in Redis, so that most refreshes need no database. Nothing about Redis is
 * trusted: a copy is served only if the {@link ChangeFeed} knows of no newer change. Without Redis, refreshes read the
 * database.
 */
export class RedisSessionStore extends DatabaseSessionStore {
  private readonly logger = new Logger('RedisSessionStore')
  private readonly errorLines = new Throttle(LOG_EVERY_MS)
  private readonly outcomes = countsOf(OUTCOMES)
  private failedWrites = 0
  private readonly silent = new SilentShards()

  constructor(
    database: Database,
    atOnce: number,
    timeouts: IdleTimeouts,
    private readonly redis: RedisConnection,
    private readonly feed: ChangeFeed,
    metrics: Metrics,
  ) {
    super(database, atOnce, timeouts)
    metrics.counter({
      name: 'session_copies_total',
      help: 'Refreshes by what Redis had: a copy that was served, none, an outdated one, one whose changes are not known, or no answer',
      label: 'outcome',
      read: () => this.outcomes,
    })
    metrics.counter({
      name: 'session_copy_write_failures_total',
      help: 'Copies of sessions that could not be renewed, or written to Redis, or deleted there',
      read: () => this.failedWrites,
    })
    metrics.gauge({
      name: 'session_changes_age_seconds',
      help: 'How long ago the changes of sessions were last read from the database',
      read: () => feed.ageSeconds,
    })
  }

  override async touch(sid: SessionHandle, usedAt: Date, client?: Client): Promise<Session | null> {
    const renew = (replaced: string | null, knownUse: Date | null = null) =>
      this.renew(sid, usedAt, replaced, client, knownUse)
    // Nothing could be put in its place.
    const lease = this.feed.origin && LEASE + randomBytes(6).toString('base64url')
    const found = await this.look(sid, usedAt, lease)
    if (found === undefined) return renew(null)
    const copy = found === null ? null : decodeCopy(sid, found)
    if (!copy) {
      this.outcomes.miss++
      return renew(found ?? lease)
    }
    const { origin } = copy
    // A limit that has become stricter since applies at once.
    const idleSeconds = this.timeouts.idleSeconds(copy.session, copy.session.idleSeconds)
    const session = { ...copy.session, idleSeconds }
    const keys = [sid, session.userId, session.accountId]
    const judgement = this.feed.judge(origin, keys, usedAt)
    // Only the database can say so: a Redis that has lost its newest writes knows of an earlier use.
    const isOverByCopy = isIdle(session, usedAt)
    const outcome = judgement !== 'current' ? judgement : isOverByCopy ? 'outdated' : 'hit'
    this.outcomes[outcome]++
    const unexpired = session.expiresAt > usedAt ? session : null
    if (outcome === 'hit') {
      const ageMs = usedAt.getTime() - origin.readAt.getTime()
      if (ageMs >= renewedAfterSeconds(session) * 1000 && !this.isBusy)
        void renew(found).catch(error => this.noteFailure('renewed', error))
      return unexpired
    }
    try {
      const renewed = await renew(found, session.lastUsed)
      // It may have been stamped by a timeout that was longer, and a second attempt must find no later use.
      if (!renewed && isOverByCopy)
        await this.deleteCopies([sid]).catch(error => this.noteFailure('deleted', error))
      return renewed
    } catch (error) {
      const isDown = judgement === 'unknown' && !isOverByCopy && isUnavailable(error)
      if (isDown && this.feed.judge(origin, keys, usedAt, true) === 'current') return unexpired
      throw error
    }
  }

  override async updateClient(
    sid: SessionHandle,
    from: ClientAddress,
    to: ClientAddress,
    now: Date,
  ): Promise<boolean> {
    const isUpdated = await super.updateClient(sid, from, to, now)
    // A copy that stays says the old address, and the next refresh comes here again: it is no reason to wait.
    await this.deleteCopies([sid]).catch(error => this.noteFailure('deleted', error))
    return isUpdated
  }

  protected override async withLastUse(found: readonly Session[]): Promise<readonly Session[]> {
    const used = await this.lastUses(found.map(({ sid }) => sid))
    return found.map((session, index) => {
      const lastUsed = used[index]
      return lastUsed && lastUsed > session.lastUsed ? { ...session, lastUsed } : session
    })
  }

  /** Deletes the copies; where that fails, waits until every process knows of the change. */
  override async forget({ sids, userIds, accountIds }: ChangedSessions): Promise<void> {
    const committedAt = performance.now()
    // Only now: a session that was opened while the change was being made is one of its user's too.
    const listed = this.sidsOf(userIds, accountIds)
    // Each for itself: those that are named go also where the others cannot be listed.
    const areGone = await Promise.all([sids, listed].map(which => this.tryToDelete(which)))
    if (areGone.includes(false)) await this.feed.reachesAll(committedAt)
  }

  override async ping(): Promise<void> {
    await this.redis.run(commands => commands.get('ping'))
  }

  /** The text at the session's key, stamped with this use; null after a miss, which leaves the lease. */
  private async look(
    sid: SessionHandle,
    usedAt: Date,
    lease: string | null,
  ): Promise<string | null | undefined> {
    const key = copyKey(sid)
    const shard = this.redis.shardOf(key)
    if (this.silent.isLeftAlone(shard)) {
      this.outcomes.unavailable++
      return undefined
    }
    try {
      const found = await this.redis.runScript(LOOK, key, [stampOf(usedAt), lease ?? '', String(LEASE_MS)])
      this.silent.delete(shard)
      return found as string | null
    } catch (error) {
      this.outcomes.unavailable++
      this.silent.add(shard)
      if (this.errorLines.take())
        this.logger.warn(`Redis does not answer; sessions are read from the database: ${causeMessage(error)}`)
      return undefined
    }
  }

  /** Touches the session in the database, and replaces the lease or copy with a new copy. */
  private async renew(
    sid: SessionHandle,
    usedAt: Date,
    replaced: string | null,
    client: Client | undefined,
    knownUse: Date | null,
  ): Promise<Session | null> {
    const { origin } = this.feed
    const found = await this.touchInDatabase(sid, usedAt, client, knownUse)
    if (!found) return null
    const { session, generation } = found
    // Otherwise another database has taken over since.
    if (replaced !== null && origin?.generation === generation)
      void this.put(replaced, session, { ...origin, readAt: usedAt }).catch(error =>
        this.noteFailure('written', error),
      )
    return session
  }

  /** Does nothing if something else is there by now, or nothing: the session has been changed since it was read. */
  private async put(replaced: string, session: Session, origin: CopyOrigin): Promise<void> {
    // With an idle timeout also when it is too old to be served: it says when the session was last used.
    const useful = Math.max(COPY_LIFETIME_SECONDS, renewedAfterSeconds(session) + (session.idleSeconds ?? 0))
    const seconds = Math.min(useful, unixSeconds(session.expiresAt) - unixSeconds(origin.readAt))
    if (seconds <= 0) return
    const text = stampOf(origin.readAt) + encodeCopy(session, origin)
    await this.redis.runScript(PUT, copyKey(session.sid), [replaced, text, String(seconds)])
  }

  /** False where they cannot be listed or deleted, or are too many. */
  private async tryToDelete(sids: readonly SessionHandle[] | Promise<SessionHandle[]>): Promise<boolean> {
    try {
      const all = await sids
      await this.deleteCopies(all)
      return all.length <= MAX_DELETED
    } catch (error) {
      this.noteFailure('deleted', error)
      return false
    }
  }

  private async deleteCopies(sids: readonly SessionHandle[]): Promise<void> {
    for (let done = 0; done < sids.length; done += DELETED_AT_ONCE) {
      const batch = sids.slice(done, done + DELETED_AT_ONCE)
      await this.redis.run(commands => Promise.all(batch.map(sid => commands.unlink(copyKey(sid)))))
    }
  }

  /** Also those that have just ended: a request that repeats the change must not be answered before they are gone. */
  protected async sidsOf(
    userIds: readonly string[],
    accountIds: readonly string[],
  ): Promise<SessionHandle[]> {
    if (userIds.length + accountIds.length === 0) return []
    // As one array, which an index finds, however many users the account has.
    const members = sql`array(select ${users.id} from ${users} where ${isAnyOf(users.accountId, accountIds)})`
    const isRecent = sql`(${sessions.endedAt} is null or ${sessions.endedAt} > now() - interval '1 minute')`
    const rows = await this.database.run(db =>
      db
        .select({ sid: sessions.sid })
        .from(sessions)
        .where(sql`${sessions.userId} = any(${sql.param(userIds)}::uuid[] || ${members}) and ${isRecent}`)
        .limit(MAX_DELETED + 1),
    )
    return rows.map(({ sid }) => sid as SessionHandle)
  }

  /** As the copies say; null where there is none. */
  private async lastUses(sids: readonly SessionHandle[]): Promise<(Date | null)[]> {
    try {
      const stamps = await this.redis.run(commands =>
        Promise.all(sids.map(sid => commands.getRange(copyKey(sid), 0, STAMP_LENGTH - 1))),
      )
      return stamps.map(stamp => (/^\d+$/.test(stamp ?? '') ? new Date(Number(stamp) * 1000) : null))
    } catch {
      return []
    }
  }

  private noteFailure(done: 'written' | 'deleted' | 'renewed', error: unknown): void {
    this.failedWrites++
    if (this.errorLines.take())
      this.logger.warn(`A copy of a session could not be ${done}: ${causeMessage(error)}`)
  }
}

/** In step with an idle timeout, because the database must know roughly when the session was last used. */
function renewedAfterSeconds({ idleSeconds }: Session): number {
  return idleSeconds === null ? RENEWED_AFTER_SECONDS : Math.min(RENEWED_AFTER_SECONDS, idleSeconds / 4)
}

function copyKey(sid: SessionHandle): string {
  return `copy:${sid}`
}

/** What stands at a key begins with its last use in seconds since 1970, or with a lease instead. */
const STAMP_LENGTH = 10
const LEASE = 'lease'.padEnd(STAMP_LENGTH, ' ')

function stampOf(time: Date): string {
  return String(unixSeconds(time)).padStart(STAMP_LENGTH, '0')
}

/**
 * The copy, or nil. ARGV: the stamp, a lease (empty for none) and its milliseconds. A lease that is there stays: of many
 * that miss at once, the first writes the copy, whoever comes meanwhile. A server that is full, or a replica, takes no
 * writes: the copy is good all the same. A session that has gone unused for its idle timeout is not stamped: a second
 * attempt must find it as the first one did.
 */
const LOOK = redisScript(`
local found = redis.call('GET', KEYS[1])
if found and string.sub(found, 1, ${STAMP_LENGTH}) ~= '${LEASE}' then
  local used = tonumber(string.sub(found, 1, ${STAMP_LENGTH}))
  local idle = tonumber(string.match(found, '^[^\\n]*', ${STAMP_LENGTH + 1}), 36)
  if not used or not idle or tonumber(ARGV[1]) - used < idle then redis.pcall('SETRANGE', KEYS[1], 0, ARGV[1]) end
  return found
end
if not found and ARGV[2] ~= '' then redis.pcall('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return nil`)

/**
 * ARGV: the copy or lease that must still be there, whatever its stamp; the new copy, and its seconds. A use that came
 * meanwhile is not forgotten.
 */
const PUT = redisScript(`
local found = redis.call('GET', KEYS[1])
if not found or string.sub(found, ${STAMP_LENGTH + 1}) ~= string.sub(ARGV[1], ${STAMP_LENGTH + 1}) then return 0 end
local stamp = string.sub(ARGV[2], 1, ${STAMP_LENGTH})
local later = string.sub(found, 1, ${STAMP_LENGTH})
if (tonumber(later) or 0) > tonumber(stamp) then stamp = later end
redis.call('SET', KEYS[1], stamp .. string.sub(ARGV[2], ${STAMP_LENGTH + 1}), 'EX', ARGV[3])
return 1`)

interface Copy {
  readonly session: Session
  readonly origin: CopyOrigin
}

const SOURCE_CODES: Readonly<Record<Source, string>> = { main: 'm', satellite: 's' }
/** Stripped from an origin, which then begins with a slash, as no origin otherwise does. */
const HTTPS = /^https:\/(?=\/)/

/**
 * What follows the stamp: fields in lines, in this order, of which {@link LOOK} reads the first and the user agent may
 * contain line feeds. There are millions, so ids are in base64url, and times in seconds in base 36.
 */
function encodeCopy(session: Session, { generation, asOf, readAt }: CopyOrigin): string {
  const { userId, accountId, createdAt, expiresAt, reauthenticatedAt, authTime, origin, userAgent } = session
  return [
    session.idleSeconds?.toString(36) ?? '',
    generation,
    asOf.toString(36),
    encodeTime(readAt),
    Buffer.from((userId + accountId).replaceAll('-', ''), 'hex').toString('base64url'),
    SOURCE_CODES[session.source] + permissionBits(session.permissions).toString(36),
    session.amr.toString(36),
    encodeTime(createdAt),
    encodeTime(expiresAt),
    reauthenticatedAt ? encodeTime(reauthenticatedAt) : '',
    authTime.getTime() === createdAt.getTime() ? '' : encodeTime(authTime),
    origin?.replace(HTTPS, '') ?? '',
    session.ip,
    ...(userAgent === null ? [] : [encodeUserAgent(userAgent)]),
  ].join('\n')
}

/** Null for text that is not a copy. */
function decodeCopy(sid: SessionHandle, text: string): Copy | null {
  const [idleSeconds, generation, asOf, readAt, ids, rights, amr, createdAt, expiresAt, ...more] = text
    .slice(STAMP_LENGTH)
    .split('\n')
  const [reauthenticatedAt, authTime, origin, ip, ...userAgent] = more
  if (!generation || !asOf || !readAt || !ids || !rights || !amr || !createdAt || !expiresAt) return null
  if (ip === undefined || Number.isNaN(Number.parseInt(asOf, 36))) return null
  const hex = Buffer.from(ids, 'base64url').toString('hex')
  return {
    origin: { generation, asOf: Number.parseInt(asOf, 36), readAt: decodeTime(readAt) },
    session: {
      sid,
      userId: asUuid(hex.slice(0, 32)),
      accountId: asUuid(hex.slice(32)),
      source: rights[0] === SOURCE_CODES.main ? 'main' : 'satellite',
      permissions: permissionsOfBits(Number.parseInt(rights.slice(1), 36)),
      origin: origin ? (origin.startsWith('/') ? `https:/${origin}` : origin) : null,
      ip,
      userAgent: userAgent.length > 0 ? decodeUserAgent(userAgent.join('\n')) : null,
      createdAt: decodeTime(createdAt),
      lastUsed: new Date(Number(text.slice(0, STAMP_LENGTH)) * 1000),
      expiresAt: decodeTime(expiresAt),
      idleSeconds: idleSeconds ? Number.parseInt(idleSeconds, 36) : null,
      reauthenticatedAt: reauthenticatedAt ? decodeTime(reauthenticatedAt) : null,
      amr: Number.parseInt(amr, 36) as AuthMethods,
      authTime: decodeTime(authTime || createdAt),
    },
  }
}

function encodeTime(time: Date): string {
  return unixSeconds(time).toString(36)
}

function decodeTime(text: string): Date {
  return new Date(Number.parseInt(text, 36) * 1000)
}

function asUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * The phrases that most user agents consist of, after `shortUserAgent`. A phrase's code is its position in
 * the list, starting at 1: control characters, which no stored user agent contains. Replicas of several releases read
 * the same copies, so a phrase may be added at the end only.
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
function encodeUserAgent(userAgent: string): string {
  return PHRASES.reduce(
    (text, phrase, index) => text.replaceAll(phrase, String.fromCharCode(index + 1)),
    userAgent,
  )
}

/** Reverses {@link encodeUserAgent}; a text without codes is returned as it is. */
function decodeUserAgent(coded: string): string {
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

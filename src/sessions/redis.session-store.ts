import type { OnApplicationShutdown } from '@nestjs/common'
import { secondsAfter } from '../clock/clock.js'
import { type Permissions, permissionBits, type Source } from '../permissions/permissions.js'
import type { RedisConnection, RedisScript } from '../redis/redis-connection.js'
import * as scripts from './redis-scripts.js'
import { decodeSession, decodeUuid, encodeSession, encodeTime } from './redis-session.js'
import { ServingGate } from './serving-gate.js'
import type { Session } from './session.js'
import type { SessionHandle } from './session-id.js'
import { SessionStore, type Whereabouts } from './session-store.js'

const INDEX_PREFIX = 'user-sessions:'
const sessionKey = (sid: SessionHandle) => `session:${sid}`
const indexKey = (userId: string) => INDEX_PREFIX + userId

/**
 * Sessions in Redis 7 or later: `session:<sid>` is a hash that expires with the session, `user-sessions:<userId>`
 * a sorted set of sid → expiresAt (and, in the fraction, the order in which they were made). The index is written first and the session second, so a crash between them
 * leaves an entry that leads nowhere, never a session that "end all" would miss.
 */
export class RedisSessionStore extends SessionStore implements OnApplicationShutdown {
  private gate = new ServingGate(async () => {})

  constructor(private readonly redis: RedisConnection) {
    super()
    redis.onDoubt(() => this.gate.doubt())
  }

  async create(session: Session): Promise<number> {
    this.gate.assertOpen()
    const expiry = encodeTime(session.expiresAt)
    const entry = [session.sid, expiry, encodeTime(session.createdAt)]
    await this.redis.runScript(scripts.ADD_TO_INDEX, indexKey(session.userId), entry)
    const [, count] = await Promise.all([
      this.redis.runScript(scripts.CREATE, sessionKey(session.sid), [expiry, ...encodeSession(session)]),
      // Not before: of logins at the same time, the one whose session comes last is to see all of them.
      this.redis.run(redis => redis.zCard(indexKey(session.userId))),
    ])
    return count
  }

  find(sid: SessionHandle, now: Date): Promise<Session | null> {
    return this.gate.serve(() => this.read(scripts.FIND, sid, now))
  }

  touch(sid: SessionHandle, usedAt: Date): Promise<Session | null> {
    return this.gate.serve(() => this.read(scripts.TOUCH, sid, usedAt))
  }

  async move(sid: SessionHandle, from: Whereabouts, to: Whereabouts, now: Date): Promise<boolean> {
    const places = [from, to].flatMap(({ ip, userAgent }) => [ip, userAgent ?? ''])
    const moved = await this.gate.serve(() =>
      this.redis.runScript(scripts.MOVE, sessionKey(sid), [encodeTime(now), ...places]),
    )
    return moved === 1
  }

  async stampReauthentication(sid: SessionHandle, at: Date | null, now: Date): Promise<boolean> {
    const times = [encodeTime(now), at ? encodeTime(at) : '']
    const stamped = await this.gate.serve(() =>
      this.redis.runScript(scripts.STAMP_REAUTHENTICATION, sessionKey(sid), times),
    )
    return stamped === 1
  }

  async listByUser(userId: string, now: Date): Promise<Session[]> {
    const found = await Promise.all(
      (await this.indexed(userId)).map(sid => this.read(scripts.FIND, sid, now)),
    )
    return found.filter(session => session !== null).sort(byUse)
  }

  setPermissions(userId: string, bySource: Readonly<Record<Source, Permissions>>): Promise<void> {
    const bits = [bySource.main, bySource.satellite].map(permissions => String(permissionBits(permissions)))
    return this.change(async () => {
      const sids = await this.indexed(userId)
      await Promise.all(sids.map(sid => this.redis.runScript(scripts.SET_PERMISSIONS, sessionKey(sid), bits)))
    })
  }

  remove(sid: SessionHandle): Promise<boolean> {
    return this.change(async () => {
      const user = await this.redis.runScript(scripts.REMOVE, sessionKey(sid), [])
      if (typeof user !== 'string') return false
      await this.redis.run(redis => redis.zRem(indexKey(decodeUuid(user)), sid))
      return true
    })
  }

  removeByUser(userId: string, createdUntil: Date, keep?: SessionHandle): Promise<number> {
    return this.change(async () => {
      const sids = (await this.indexed(userId)).filter(sid => sid !== keep)
      const until = [encodeTime(createdUntil)]
      const results = await Promise.all(
        sids.map(sid => this.redis.runScript(scripts.REMOVE_CREATED_UNTIL, sessionKey(sid), until)),
      )
      // An entry without a session may be of a login under way; those that lead nowhere expire.
      const gone = sids.filter((_, index) => results[index] === 1)
      if (gone.length > 0) await this.redis.run(redis => redis.zRem(indexKey(userId), gone))
      return results.filter(result => result === 1).length
    })
  }

  /** Redis drops the sessions themselves; what is left are entries of the indexes. */
  async removeExpired(now: Date): Promise<number> {
    const next = encodeTime(secondsAfter(now, 1))
    let removed = 0
    await this.redis.eachKey(`${INDEX_PREFIX}*`, async key => {
      removed += await this.redis.run(redis => redis.zRemRangeByScore(key, '-inf', `(${next}`))
    })
    return removed
  }

  async ping(): Promise<void> {
    this.gate.assertOpen()
    await this.redis.run(redis => redis.get('ping'))
  }

  beforeServing(replay: () => Promise<void>): Promise<void> {
    this.gate = new ServingGate(replay)
    return this.gate.open()
  }

  onApplicationShutdown(): void {
    this.gate.close()
  }

  private async read(script: RedisScript, sid: SessionHandle, now: Date): Promise<Session | null> {
    const flat = (await this.redis.runScript(script, sessionKey(sid), [encodeTime(now)])) as string[] | null
    if (flat === null) return null
    const hash: Record<string, string> = {}
    for (let i = 0; i < flat.length; i += 2) hash[flat[i] as string] = flat[i + 1] as string
    return decodeSession(sid, hash)
  }

  private indexed(userId: string): Promise<SessionHandle[]> {
    return this.redis.run(redis => redis.zRange(indexKey(userId), 0, -1)) as Promise<SessionHandle[]>
  }

  /** A change that the store did not take leaves doubt until it has been replayed. */
  private async change<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.gate.doubt()
      throw error
    }
  }
}

/** Leaves those of the same times as the index has them. */
function byUse(one: Session, other: Session): number {
  return (
    one.lastUsed.getTime() - other.lastUsed.getTime() || one.createdAt.getTime() - other.createdAt.getTime()
  )
}

import type { RedisConnection, RedisScript } from '../platform/redis/redis.js'
import {
  CREATE,
  decodeSession,
  encodeSession,
  encodeStamp,
  encodeTime,
  FIND,
  RedisChanges,
  type SessionForm,
  STAMP_REAUTHENTICATION,
  sessionKey,
  TOUCH,
  UPDATE_CLIENT,
  userAgentIn,
  VOID_AUTHENTICATION,
} from './redis-session.js'
import type { ShardGates } from './revocation/gates.js'
import type { Session, SessionHandle } from './session.js'
import {
  type ClientAddress,
  type ReauthenticationStamp,
  SessionStore,
  type StoreChanges,
} from './session-store.js'
import type { UserSessions } from './user-sessions.js'

/**
 * Sessions in Redis 7 or later: one hash each, which expires with the session. The database knows which
 * sessions a user has. A shard that may lack the latest changes serves nothing: see ShardGates.
 */
export class RedisSessionStore extends SessionStore {
  private readonly changes: RedisChanges

  constructor(
    private readonly redis: RedisConnection,
    private readonly gates: ShardGates,
    userSessions: UserSessions,
    /** The form that sessions are written in. */
    private readonly form: SessionForm = 'long',
  ) {
    super(userSessions)
    this.changes = new RedisChanges(redis)
  }

  async create(session: Session): Promise<void> {
    const key = sessionKey(session.sid)
    this.gates.assertOpen(key)
    await this.redis.runScript(CREATE, key, [
      encodeTime(session.expiresAt),
      ...encodeSession(session, this.form),
    ])
  }

  find(sid: SessionHandle, now: Date): Promise<Session | null> {
    return this.read(FIND, sid, now)
  }

  async findAll(sids: readonly SessionHandle[], now: Date): Promise<Session[]> {
    const found = await Promise.all(sids.map(sid => this.find(sid, now)))
    return found.filter(session => session !== null)
  }

  touch(sid: SessionHandle, usedAt: Date): Promise<Session | null> {
    return this.read(TOUCH, sid, usedAt)
  }

  async updateClient(
    sid: SessionHandle,
    from: ClientAddress,
    to: ClientAddress,
    now: Date,
  ): Promise<boolean> {
    const inForm = (form: SessionForm, { userAgent }: ClientAddress) =>
      userAgent && userAgentIn(form, userAgent)
    const addresses = [from.ip, inForm('long', from), to.ip, inForm(this.form, to), inForm('compact', from)]
    const key = sessionKey(sid)
    const updated = await this.gates.serve(key, () =>
      this.redis.runScript(UPDATE_CLIENT, key, [encodeTime(now), ...addresses.map(text => text ?? '')]),
    )
    return updated === 1
  }

  async stampReauthentication(sid: SessionHandle, stamp: ReauthenticationStamp, now: Date): Promise<boolean> {
    const args = [encodeTime(now), ...encodeStamp(stamp)]
    const key = sessionKey(sid)
    const stamped = await this.gates.serve(key, () => this.redis.runScript(STAMP_REAUTHENTICATION, key, args))
    return stamped === 1
  }

  async voidAuthentication(sid: SessionHandle, now: Date): Promise<boolean> {
    const key = sessionKey(sid)
    const voided = await this.gates.serve(key, () =>
      this.redis.runScript(VOID_AUTHENTICATION, key, [encodeTime(now)]),
    )
    return voided === 1
  }

  async apply(changes: StoreChanges): Promise<void> {
    const failures = await this.changes.apply(changes)
    for (const failure of failures) this.gates.remember(failure)
    if (failures[0]) throw failures[0].error
  }

  /** The transaction is in the database; Redis is not part of it. */
  async applyIn(): Promise<void> {}

  async remove(sid: SessionHandle): Promise<boolean> {
    return (await this.redis.run(commands => commands.unlink(sessionKey(sid)))) > 0
  }

  /** Redis expires them itself. */
  async removeExpired(): Promise<number> {
    return 0
  }

  async ping(): Promise<void> {
    this.gates.assertAllOpen()
    await this.redis.run(commands => commands.get('ping'))
  }

  private async read(script: RedisScript, sid: SessionHandle, now: Date): Promise<Session | null> {
    const key = sessionKey(sid)
    const flat = await this.gates.serve(key, async () => {
      const found = (await this.redis.runScript(script, key, [encodeTime(now)])) as string[] | null
      // Only a store that has lost nothing can say "there is none".
      if (found === null) await this.gates.assertNothingLost(sid, key)
      return found
    })
    if (flat === null) return null
    const hash: Record<string, string> = {}
    for (let i = 0; i < flat.length; i += 2) hash[flat[i] as string] = flat[i + 1] as string
    return decodeSession(sid, hash)
  }
}

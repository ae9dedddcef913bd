import { randomBytes, randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { type AuditAction, auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { removeExpiredRows } from '../database/remove-expired-rows.js'
import { users } from '../database/schema/accounts.js'
import { oneTimeTokens } from '../database/schema/links.js'
import { parameter, type UsedRow } from '../database/statement.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { RateLimiter } from '../rate-limits/rate-limiter.js'
import { BASE64URL_OF_32_BYTES } from '../secrets/token-form.js'
import { hashToken } from '../secrets/token-hash.js'
import type { NewToken, OneTimeToken, Purpose, TriedToken } from './one-time-token.js'

/** A valid token that a statement consumes; {@link OneTimeTokens.valuesOf} provides its parameters. */
export const USED_TOKEN: UsedRow = {
  name: 'token',
  lock: after => sql`
    select ${oneTimeTokens.id} from ${oneTimeTokens}
    where ${oneTimeTokens.hash} = ${parameter('token', 'hash')}
      and ${oneTimeTokens.purpose} = ${parameter('token', 'purpose')}
      and ${oneTimeTokens.expiresAt} > ${parameter('token', 'now', oneTimeTokens.expiresAt)}
      and exists (select from ${after})
    for update`,
  use: selected =>
    sql`delete from ${oneTimeTokens} where ${oneTimeTokens.id} in (select id from ${selected})`,
}

/**
 * Single-use tokens: mailed links, hand-off codes, challenges. The database holds only their hashes, until they are
 * used or expire.
 */
@Injectable()
export class OneTimeTokens {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
  ) {}

  /** Stores a new token in the transaction and returns its text, for the link. */
  async issue(transaction: Db, { lifetimeSeconds, ...token }: NewToken): Promise<string> {
    const text = randomBytes(32).toString('base64url')
    const createdAt = this.clock.now()
    const expiresAt = secondsAfter(createdAt, lifetimeSeconds)
    await transaction
      .insert(oneTimeTokens)
      .values({ id: randomUUID(), hash: hashToken(text), ...token, createdAt, expiresAt })
    return text
  }

  /**
   * The token if it is valid, without using it up; otherwise null, which counts as a guess: too many throw
   * `TOO_MANY_ATTEMPTS`. A valid link always works, so that strangers cannot block everybody's recovery.
   */
  async find(
    purpose: Purpose | readonly Purpose[],
    text: string,
    client: Client,
  ): Promise<OneTimeToken | null> {
    const [row] = BASE64URL_OF_32_BYTES.test(text)
      ? await this.database.run(db => db.select().from(oneTimeTokens).where(this.isValid(purpose, text)))
      : []
    if (!row) await this.countGuess(client)
    return (row as OneTimeToken | undefined) ?? null
  }

  /** Counts a guess that failed for another reason. Throws `TOO_MANY_ATTEMPTS`. */
  async countGuess(client: Client): Promise<void> {
    // Tokens can be guessed for anybody, so no account's guesses are counted.
    await this.rateLimiter.count({ kind: 'link', subject: '', client })
  }

  /** Like {@link find}, but throws `INVALID_LINK`, after recording a failed `action` in the audit log. */
  async require(purpose: Purpose, text: string, client: Client, action: AuditAction): Promise<OneTimeToken> {
    const found = await this.find(purpose, text, client)
    if (found) return found
    this.auditLog.enqueue(auditEvent({ client }, action, { reason: 'invalid link' }), 'failed')
    throw new ApiError('INVALID_LINK')
  }

  /**
   * Uses the token up in the transaction of what it allows. Throws `INVALID_LINK` when it has been used, has
   * expired, is for something else or does not exist. Of two concurrent calls one succeeds.
   */
  async consume(transaction: Db, purpose: Purpose, text: string): Promise<OneTimeToken> {
    const [row] = BASE64URL_OF_32_BYTES.test(text)
      ? await transaction.delete(oneTimeTokens).where(this.isValid(purpose, text)).returning()
      : []
    if (!row) throw new ApiError('INVALID_LINK')
    return row as OneTimeToken
  }

  /**
   * The token and its user if it is valid, has had fewer than `maxTries` tries, and its detail contains all
   * of `where`; this counts as one more try, in its detail. Otherwise null. However many calls run
   * concurrently, only `maxTries` succeed.
   */
  async countTry(
    purpose: Purpose,
    text: string,
    { where, maxTries }: { where: NewToken['detail']; maxTries: number },
  ): Promise<TriedToken | null> {
    if (!BASE64URL_OF_32_BYTES.test(text)) return null
    const { detail, userId } = oneTimeTokens
    const tries = sql`(${detail} ->> 'tries')::int`
    const isAllowed = and(
      this.isValid(purpose, text),
      lt(tries, maxTries),
      sql`${detail} @> ${JSON.stringify(where)}::jsonb`,
    )
    const [row] = await this.database.run(db =>
      db
        .update(oneTimeTokens)
        .set({ detail: sql`${detail} || jsonb_build_object('tries', ${tries} + 1)` })
        .from(users)
        .where(and(isAllowed, eq(users.id, userId)))
        .returning(),
    )
    if (!row) return null
    const { users: user, ...token } = row
    return { token: token as OneTimeToken, user }
  }

  /** Removes a valid token; returns until when it was valid, or null when there is none. Of two concurrent calls one gets it. */
  async remove(db: Db, purpose: Purpose, text: string): Promise<Date | null> {
    const [removed] = await db
      .delete(oneTimeTokens)
      .where(this.isValid(purpose, text))
      .returning({ expiresAt: oneTimeTokens.expiresAt })
    return removed?.expiresAt ?? null
  }

  /** The parameters of {@link USED_TOKEN}, which does within a statement what {@link remove} does. */
  valuesOf(purpose: Purpose, text: string): object {
    return { hash: hashToken(text), purpose, now: this.clock.now() }
  }

  /**
   * Like {@link consume}, but the token is kept for another purpose until `next` expires, so that it is
   * recognised when it is presented again. False when it can no longer be used. Of two concurrent calls one
   * gets true.
   */
  async turnInto(
    transaction: Db,
    purpose: Purpose,
    text: string,
    next: Pick<NewToken, 'purpose' | 'lifetimeSeconds' | 'detail'>,
  ): Promise<boolean> {
    const expiresAt = secondsAfter(this.clock.now(), next.lifetimeSeconds)
    const turned = await transaction
      .update(oneTimeTokens)
      .set({ purpose: next.purpose, detail: next.detail ?? {}, expiresAt })
      .where(this.isValid(purpose, text))
      .returning({ id: oneTimeTokens.id })
    return turned.length > 0
  }

  /** Whether a token has been neither used nor withdrawn; it may have expired a short time ago. */
  async isUnused(text: string): Promise<boolean> {
    const { id, hash } = oneTimeTokens
    const rows = await this.database.run(db =>
      db
        .select({ id })
        .from(oneTimeTokens)
        .where(eq(hash, hashToken(text))),
    )
    return rows.length > 0
  }

  /** When tokens with these hashes expire, by hash, whatever they are for; without those that are used or expired. */
  async expiriesOf(hashes: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    if (hashes.length === 0) return new Map()
    const { hash, expiresAt } = oneTimeTokens
    const isLive = and(inArray(hash, [...hashes]), gt(expiresAt, this.clock.now()))
    const rows = await this.database.run(db =>
      db.select({ hash, expiresAt }).from(oneTimeTokens).where(isLive),
    )
    return new Map(rows.map(row => [row.hash, row.expiresAt]))
  }

  /** Removes what has expired by `now`; returns how many. */
  removeExpired(now: Date): Promise<number> {
    return removeExpiredRows(this.database, oneTimeTokens, oneTimeTokens.expiresAt, now)
  }

  private isValid(purpose: Purpose | readonly Purpose[], text: string) {
    return and(
      eq(oneTimeTokens.hash, hashToken(text)),
      inArray(oneTimeTokens.purpose, [purpose].flat()),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
  }
}

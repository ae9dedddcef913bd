import { randomBytes, randomUUID } from 'node:crypto'
import { Injectable, Module } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { IsString, MaxLength } from 'class-validator'
import { and, asc, eq, gt, inArray, lt, min, type SQL, sql } from 'drizzle-orm'
import { type AuditAction, auditEvent, type TargetUser } from './audit/audit-event.js'
import { AuditLog, AuditLogModule } from './audit/audit-log.js'
import type { Db } from './database/connection.js'
import { Database } from './database/database.js'
import { accounts, users } from './database/schema/accounts.js'
import { oneTimeTokens } from './database/schema/platform.js'
import { removeExpiredRows } from './database/sql.js'
import { ApiError } from './errors/api-error.js'
import { field } from './http/fields.js'
import type { Client } from './http/request.js'
import { LeasedJobs } from './jobs.js'
import { Logger } from './log.js'
import { RateLimiter, RateLimitsModule } from './rate-limits/rate-limiter.js'
import { BASE64URL_OF_32_BYTES, hashToken } from './secrets/token-hash.js'
import { Clock, secondsAfter } from './time.js'

export type Purpose =
  | 'sign-up'
  | 'password-reset'
  | 'invitation'
  | 'email-change'
  | 'email-undo'
  | 'not-me'
  | 'transfer-accept'
  | 'transfer-stop'
  | 'handoff'
  | 'handoff-used'
  | 'second-factor'
  | 'passkey-used'
  | 'factor-reset'

/** What a token is for, and who it concerns. */
export interface OneTimeToken {
  readonly id: string
  readonly purpose: Purpose
  /**
   * The address it was mailed to: anybody who has the token can read that mailbox. The user's own address for
   * a token that was not mailed.
   */
  readonly email: string
  readonly userId: string | null
  readonly accountId: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** A token, and the user it concerns, as they are now. */
interface TriedToken {
  readonly token: OneTimeToken
  readonly user: typeof users.$inferSelect &
    Pick<typeof accounts.$inferSelect, 'entitled'> & { readonly accountIdleSeconds: number | null }
}

interface NewToken {
  readonly purpose: Purpose
  readonly email: string
  readonly userId?: string
  readonly accountId?: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly lifetimeSeconds: number
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
        .innerJoin(accounts, eq(accounts.id, users.accountId))
        .where(and(isAllowed, eq(users.id, userId)))
        .returning(),
    )
    if (!row) return null
    const { users: user, accounts: account, ...token } = row
    const { entitled, idleSeconds: accountIdleSeconds } = account
    return { token: token as OneTimeToken, user: { ...user, entitled, accountIdleSeconds } }
  }

  /** Removes a valid token; false when there is none. Of two concurrent calls one gets true. */
  async remove(db: Db, purpose: Purpose, text: string): Promise<boolean> {
    const removed = await db
      .delete(oneTimeTokens)
      .where(this.isValid(purpose, text))
      .returning({ id: oneTimeTokens.id })
    return removed.length > 0
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
    const isThis = eq(oneTimeTokens.hash, hashToken(text))
    return (await this.database.run(db => db.$count(oneTimeTokens, isThis))) > 0
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

/** With the language to write in. */
type Address = Pick<typeof users.$inferSelect, 'email' | 'language'>

/** More would let a thief who changes the address again and again have us mail thousands. */
const MAX_ADDRESSES = 3

/** The number of the change of address that a link undoes. */
export const SEQUENCE = sql<number>`(${oneTimeTokens.detail} ->> 'turn')::int`

/** The language that the user had when the first of the links to one address was mailed, null if they had none. */
const LANGUAGE_OF_FIRST = sql<
  string | null
>`(array_agg(${oneTimeTokens.detail} ->> 'language' order by ${SEQUENCE}))[1]`

/** Links that undo changes of address of these users, open or expired. */
export function undoLinksOf(userIds: readonly string[]) {
  return and(eq(oneTimeTokens.purpose, 'email-undo'), inArray(oneTimeTokens.userId, [...userIds]))
}

export function openUndoLinksOf(userIds: readonly string[], now: Date) {
  return and(undoLinksOf(userIds), gt(oneTimeTokens.expiresAt, now))
}

/**
 * The addresses, other than the `present` one, that the user has left and can still return to by a mailed link, each
 * once, with the language of that mail: later mails refer to it, and somebody else may have chosen another language
 * since. Only those that they left first, which no change that a thief makes later can displace.
 */
export async function previousAddresses(
  db: Db,
  userId: string,
  present: Address,
  now: Date,
): Promise<Address[]> {
  const { email } = oneTimeTokens
  const rows = await db
    .select({ email, language: LANGUAGE_OF_FIRST })
    .from(oneTimeTokens)
    .where(openUndoLinksOf([userId], now))
    .groupBy(email)
    .orderBy(asc(min(SEQUENCE)))
    .limit(MAX_ADDRESSES)
  return rows.filter(row => row.email !== present.email)
}

/** They do not concern any mailbox. */
const NOBODY = ''

/**
 * Remembers a text that was issued without being stored, now that it is used, until it expires; kept with the tokens,
 * and cleaned up with them. False when it is already known. Of two concurrent calls one gets true.
 */
export async function rememberUsed(
  transaction: Db,
  purpose: Purpose,
  text: string,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<boolean> {
  const added = await transaction
    .insert(oneTimeTokens)
    .values({ id: randomUUID(), hash: hashToken(text), purpose, email: NOBODY, createdAt: now, expiresAt })
    .onConflictDoNothing()
    .returning({ id: oneTimeTokens.id })
  return added.length > 0
}

/** Invalidates the links of these users for these purposes: all of them, or those that went to `email`. */
export async function withdrawTokens(
  transaction: Db,
  purposes: Purpose | readonly Purpose[],
  userIds: string | readonly string[],
  email?: string,
): Promise<void> {
  await transaction
    .delete(oneTimeTokens)
    .where(
      and(
        inArray(oneTimeTokens.purpose, [purposes].flat()),
        inArray(oneTimeTokens.userId, [userIds].flat()),
        email === undefined ? undefined : eq(oneTimeTokens.email, email),
      ),
    )
}

/** Invalidates the account's links for these purposes. Following one of them locks the account first. */
export async function withdrawTokensOfAccount(
  transaction: Db,
  purposes: readonly Purpose[],
  accountId: string,
): Promise<void> {
  await transaction
    .delete(oneTimeTokens)
    .where(and(inArray(oneTimeTokens.purpose, [...purposes]), eq(oneTimeTokens.accountId, accountId)))
}

/** Invalidates the invitations that these users have sent. Accepting one locks the account first. */
export async function withdrawInvitationsBy(transaction: Db, inviters: readonly TargetUser[]): Promise<void> {
  const accountIds = [...new Set(inviters.map(({ accountId }) => accountId))]
  const inviterIds = inviters.map(({ id }) => id)
  await transaction
    .delete(oneTimeTokens)
    .where(
      and(
        eq(oneTimeTokens.purpose, 'invitation'),
        inArray(oneTimeTokens.accountId, accountIds),
        inArray(sql`${oneTimeTokens.detail} ->> 'invitedBy'`, inviterIds),
      ),
    )
}

/** Invalidates all of the user's links, with the user locked; one that is being followed will find that they have changed. */
export async function withdrawAllTokens(transaction: Db, userId: string): Promise<void> {
  await withdrawIdle(transaction, eq(oneTimeTokens.userId, userId))
}

/** Invalidates the links of sign-ups that went to this address, except one that is being followed right now. */
export async function withdrawSignUps(transaction: Db, email: string): Promise<void> {
  await withdrawIdle(transaction, and(eq(oneTimeTokens.purpose, 'sign-up'), eq(oneTimeTokens.email, email)))
}

/** A link that is being followed right now is skipped, because waiting for it could deadlock. */
async function withdrawIdle(transaction: Db, which: SQL | undefined): Promise<void> {
  const idle = transaction
    .select({ id: oneTimeTokens.id })
    .from(oneTimeTokens)
    .where(which)
    .for('update', { skipLocked: true })
  await transaction.delete(oneTimeTokens).where(inArray(oneTimeTokens.id, idle))
}

/** Ours have 43 characters; a slightly longer one comes from a link that a mail program has mangled. */
const MAX_LENGTH = 100

/**
 * For body fields: the text after `#token=` in a mailed link. Only {@link OneTimeTokens} knows whether it is
 * valid.
 */
export const MailedToken = () =>
  field(
    { type: String, maxLength: MAX_LENGTH },
    { description: 'From behind `#token=` in the link' },
    IsString(),
    MaxLength(MAX_LENGTH),
  )

/** A body that contains nothing else. */
export class MailedLinkBody {
  @MailedToken() token!: string
}

const JOB = { name: 'one-time-token-cleanup', everyMs: 60 * 60 * 1000 }

/** Removes expired tokens, on one replica at a time: what they hold, such as a password hash, is no longer needed. */
@Injectable()
export class OneTimeTokenCleanup {
  private readonly logger = new Logger('OneTimeTokenCleanup')

  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many were removed; null when it did not run to completion here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      const removed = await this.tokens.removeExpired(now)
      this.logger.log(`Removed ${removed} expired tokens`)
      return removed
    })
  }
}

@Module({
  imports: [AuditLogModule, RateLimitsModule],
  providers: [OneTimeTokens, OneTimeTokenCleanup],
  exports: [OneTimeTokens, OneTimeTokenCleanup],
})
export class LinksModule {}

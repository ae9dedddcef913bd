import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { and, asc, desc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { failedMails } from '../platform/database/schema/platform.js'
import { removeExpiredRows } from '../platform/database/sql.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { type Age, ageCursor, type Page, pageOf } from '../platform/http/paging.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { OneTimeTokens } from '../platform/one-time-tokens.js'
import { type Resealed, SecretBox } from '../platform/secrets/secrets.js'
import { hashToken } from '../platform/secrets/token-hash.js'
import { Clock, secondsAfter } from '../platform/time.js'
import type { Mail } from './mail.js'
import { tokenIn } from './site-urls.js'

/** A mail and its recipient. */
interface AddressedMail {
  readonly to: string
  readonly mail: Mail
}

/** Encrypts the mail for the row with this id: copied to another row, it is worthless. */
function sealMail(secrets: SecretBox, id: string, addressed: AddressedMail): string {
  return secrets.seal(JSON.stringify(addressed), aadOf(id))
}

/** The mail that was given to {@link sealMail}. Throws an Error for another id, or when its key is not available. */
function openMail(secrets: SecretBox, id: string, sealed: string): AddressedMail {
  return JSON.parse(secrets.open(sealed, aadOf(id)).toString())
}

/** The hash of the one-time token in its link; null for a mail without one. */
function linkHashOf({ action }: Mail): string | null {
  const token = action && tokenIn(action.url)
  return token ? hashToken(token) : null
}

function aadOf(id: string): string {
  return `failed mail ${id}`
}

/** After this, a mail is out of date. A mail whose link expires earlier is removed with it. */
const KEPT_SECONDS = 7 * 24 * 60 * 60
/** An hour without a mail server, for a busy installation: 2 MB. */
const MAX_KEPT = 1_000
/** Longer than a mail server may take to respond. */
const CLAIM_SECONDS = 60
/** Of the mail server's message. */
const MAX_ERROR_LENGTH = 300

const JOB = { name: 'failed-mail-cleanup', everyMs: 60 * 60 * 1000 }

type Row = typeof failedMails.$inferSelect

/** A mail that could not be sent. */
export interface FailedMail extends AddressedMail, Pick<Row, 'id' | 'failedAt' | 'expiresAt' | 'lastError'> {
  /** Whether the link in it still works; true for a mail without one. */
  readonly isLinkGood: boolean
}

/**
 * Mails that could not be sent, kept so that an operator can resend them. Their links are as sensitive as
 * passwords: each mail is sealed, and removed when its link expires, after 7 days at the latest, or when
 * there are too many.
 */
@Injectable()
export class FailedMails {
  private readonly logger = new Logger('FailedMails')

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly tokens: OneTimeTokens,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Records in the audit log that sending a mail was given up. */
  recordFailure(email: string, subject: string): void {
    this.auditLog.enqueue({ action: 'mail', outcome: 'failed', client: null, detail: { subject, email } })
  }

  /**
   * Keeps a mail that was given up, unless its link has been used or withdrawn. `isRefused`: the mail server will never
   * accept it. When there are too many, those are dropped first, then the oldest. Never rejects: a failure is logged.
   */
  async keep(addressed: AddressedMail, { message }: Error, isRefused: boolean): Promise<void> {
    try {
      const linkHash = linkHashOf(addressed.mail)
      const linkExpiry = linkHash && (await this.tokens.expiriesOf([linkHash])).get(linkHash)
      if (linkHash && !linkExpiry) return
      const failedAt = this.clock.now()
      const latest = secondsAfter(failedAt, KEPT_SECONDS)
      const expiresAt = linkExpiry && linkExpiry < latest ? linkExpiry : latest
      const id = randomUUID()
      const sealed = sealMail(this.secrets, id, addressed)
      const lastError = message.slice(0, MAX_ERROR_LENGTH)
      const row = { id, sealed, linkHash, failedAt, expiresAt, lastError, isRefused }
      await this.database.run(db => db.insert(failedMails).values(row))
      await this.dropExcess()
    } catch (error) {
      this.logger.error(`A mail that failed could not be kept: ${causeMessage(error)}`)
    }
  }

  /**
   * One page of them, newest first. Leaves out what the available keys cannot open, so that a page may have fewer
   * than `limit`, or none, and still not be the last.
   */
  async page(limit: number, after: Age | undefined): Promise<Page<FailedMail>> {
    const { rows, next } = await pageOf(
      limit,
      count => this.rows(after, count),
      ({ failedAt: createdAt, id }) => ageCursor({ createdAt, id }),
    )
    return { rows: await this.opened(rows), next }
  }

  private rows(after: Age | undefined, limit: number): Promise<Row[]> {
    const { failedAt, id } = failedMails
    const place = after && sql`(${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`
    const isOlder = place && sql`(${failedAt}, ${id}) < ${place}`
    return this.database.run(db =>
      db
        .select()
        .from(failedMails)
        .where(and(this.isKept(), isOlder))
        .orderBy(desc(failedAt), desc(id))
        .limit(limit),
    )
  }

  /** Null when there is none, or it has expired. */
  async find(id: string): Promise<FailedMail | null> {
    const rows = await this.database.run(db =>
      db
        .select()
        .from(failedMails)
        .where(and(eq(failedMails.id, id), this.isKept())),
    )
    return (await this.opened(rows))[0] ?? null
  }

  count(): Promise<number> {
    return this.database.run(db => db.$count(failedMails, this.isKept()))
  }

  /**
   * Reserves it for one caller to resend, for a minute; false while another caller has it, or when it is gone.
   * Of two concurrent calls one gets true.
   */
  async claim(transaction: Db, id: string): Promise<boolean> {
    const { claimedUntil } = failedMails
    const now = this.clock.now()
    const isFree = or(isNull(claimedUntil), lte(claimedUntil, now))
    const claimed = await transaction
      .update(failedMails)
      .set({ claimedUntil: secondsAfter(now, CLAIM_SECONDS) })
      .where(and(eq(failedMails.id, id), this.isKept(), isFree))
      .returning({ id: failedMails.id })
    return claimed.length > 0
  }

  /** Call after it was sent. */
  async remove(id: string): Promise<void> {
    await this.database.run(db => db.delete(failedMails).where(eq(failedMails.id, id)))
  }

  /** Call after it has failed again: it may be tried at once. */
  async release(id: string, { message }: Error): Promise<void> {
    const change = { claimedUntil: null, lastError: message.slice(0, MAX_ERROR_LENGTH) }
    await this.database.run(db => db.update(failedMails).set(change).where(eq(failedMails.id, id)))
  }

  /** Reseals whatever was not sealed with the current key. Safe to repeat. */
  async resealAll(): Promise<Resealed> {
    const rows = await this.database.run(db => db.select().from(failedMails).where(this.isKept()))
    return this.secrets.resealOld(
      rows,
      ({ sealed }) => sealed,
      async ({ id, sealed }) => {
        const anew = sealMail(this.secrets, id, openMail(this.secrets, id, sealed))
        await this.database.run(db =>
          db.update(failedMails).set({ sealed: anew }).where(eq(failedMails.id, id)),
        )
        return 1
      },
    )
  }

  /** On one replica at a time; returns how many were removed, or null when it did not run to completion here. */
  @Interval(JOB.everyMs)
  removeExpired(): Promise<number | null> {
    return this.jobs.run(JOB, now =>
      removeExpiredRows(this.database, failedMails, failedMails.expiresAt, now),
    )
  }

  private isKept() {
    return gt(failedMails.expiresAt, this.clock.now())
  }

  private async dropExcess(): Promise<void> {
    const { id, isRefused, failedAt } = failedMails
    await this.database.run(db => {
      const excess = db
        .select({ id })
        .from(failedMails)
        .orderBy(asc(isRefused), desc(failedAt), desc(id))
        .offset(MAX_KEPT)
      return db.delete(failedMails).where(inArray(id, excess))
    })
  }

  private async opened(rows: readonly Row[]): Promise<FailedMail[]> {
    const expiries = await this.tokens.expiriesOf(rows.flatMap(({ linkHash }) => linkHash ?? []))
    return rows.flatMap(({ id, sealed, linkHash, failedAt, expiresAt, lastError }) => {
      const addressed = this.open(id, sealed)
      const isLinkGood = linkHash === null || expiries.has(linkHash)
      return addressed ? [{ id, ...addressed, failedAt, expiresAt, lastError, isLinkGood }] : []
    })
  }

  private open(id: string, sealed: string): AddressedMail | null {
    try {
      return openMail(this.secrets, id, sealed)
    } catch (error) {
      this.logger.warn(`A failed mail cannot be read: ${causeMessage(error)}`)
      return null
    }
  }
}

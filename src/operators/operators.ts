import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, asc, eq, isNull, lt } from 'drizzle-orm'
import { newTotpSecret, stepOfCode } from '../factors/totp.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { operatorPasskeys, operatorSessions, operators } from '../platform/database/schema/operators.js'
import { type Resealed, SecretBox } from '../platform/secrets/secrets.js'
import { Clock } from '../platform/time.js'
import type { Email } from '../users/email.js'
import { Passwords } from '../users/passwords/passwords.js'

/** Who works in the console. */
export type Operator = typeof operators.$inferSelect

/** The operators in the database. */
@Injectable()
export class Operators {
  constructor(
    private readonly database: Database,
    private readonly passwords: Passwords,
    private readonly secrets: SecretBox,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds an operator; returns the secret (base32) for their authenticator app, which is shown only once. One
   * who was disabled returns under the same id, with this password, a new secret and nothing else. Throws an
   * Error for an address that already has an operator.
   */
  async add(email: Email, password: string): Promise<{ readonly id: string; readonly totpSecret: string }> {
    const passwordHash = await this.passwords.hash(password, null)
    const totpSecret = newTotpSecret()
    return this.database.transaction(async transaction => {
      const [known] = await transaction
        .select()
        .from(operators)
        .where(eq(operators.email, email))
        .for('update')
      if (known && !known.disabledAt) throw new Error(`${email} is an operator already`)
      const id = known?.id ?? randomUUID()
      const row = {
        passwordHash,
        totpSecret: this.secrets.seal(totpSecret, id),
        lastStep: 0,
        disabledAt: null,
      }
      if (known) {
        await transaction.update(operators).set(row).where(eq(operators.id, id))
        // A login may have been on its way when they were disabled.
        await removeLogins(transaction, id)
      } else await transaction.insert(operators).values({ id, email, ...row, createdAt: this.clock.now() })
      const event = auditEvent({ client: null, operator: { id, reason: null } }, 'operator.add', { email })
      await this.auditLog.record(transaction, event)
      return { id, totpSecret }
    })
  }

  /** Whether this password still lets them in; both stay as they are until the transaction ends. */
  async isUnchanged(transaction: Db, { id, passwordHash }: Operator): Promise<boolean> {
    const isSame = and(
      eq(operators.id, id),
      eq(operators.passwordHash, passwordHash),
      isNull(operators.disabledAt),
    )
    const rows = await transaction.select({ id: operators.id }).from(operators).where(isSame).for('share')
    return rows.length > 0
  }

  /** All operators, including removed ones, oldest first. */
  list(): Promise<Operator[]> {
    return this.database.run(db => db.select().from(operators).orderBy(asc(operators.createdAt)))
  }

  /** Finds only those who can log in. */
  async findByEmail(email: Email): Promise<Operator | null> {
    const [row] = await this.database.run(db =>
      db
        .select()
        .from(operators)
        .where(and(eq(operators.email, email), isNull(operators.disabledAt))),
    )
    return row ?? null
  }

  /**
   * Also ends their sessions and removes their passkeys. False when there is no such operator, or they are
   * already disabled.
   */
  disable(email: Email): Promise<boolean> {
    return this.database.transaction(async transaction => {
      const [gone] = await transaction
        .update(operators)
        .set({ disabledAt: this.clock.now() })
        .where(and(eq(operators.email, email), isNull(operators.disabledAt)))
        .returning({ id: operators.id })
      if (!gone) return false
      await removeLogins(transaction, gone.id)
      const operatorAction = { id: gone.id, reason: null }
      const event = auditEvent({ client: null, operator: operatorAction }, 'operator.disable', { email })
      await this.auditLog.record(transaction, event)
      return true
    })
  }

  /**
   * Whether this is a current, unused code from the operator's app; uses it up. Of several requests with the
   * same code, only one gets true.
   */
  async useCode({ id, totpSecret }: Operator, code: string): Promise<boolean> {
    const step = stepOfCode(this.secrets.open(totpSecret, id).toString(), code, this.clock.now())
    if (step === null) return false
    const isUnused = and(eq(operators.id, id), isNull(operators.disabledAt), lt(operators.lastStep, step))
    const used = await this.database.run(db =>
      db.update(operators).set({ lastStep: step }).where(isUnused).returning({ id: operators.id }),
    )
    return used.length > 0
  }

  /** Reseals whatever was not sealed with the current key. Safe to repeat. */
  async resealAll(): Promise<Resealed> {
    return this.secrets.resealOld(
      await this.list(),
      ({ totpSecret }) => totpSecret,
      async ({ id, totpSecret }) => {
        const anew = this.secrets.seal(this.secrets.open(totpSecret, id), id)
        const isSame = and(eq(operators.id, id), eq(operators.totpSecret, totpSecret))
        await this.database.run(db => db.update(operators).set({ totpSecret: anew }).where(isSame))
        return 1
      },
    )
  }
}

/** Their sessions and passkeys. */
async function removeLogins(transaction: Db, operatorId: string): Promise<void> {
  await transaction.delete(operatorSessions).where(eq(operatorSessions.operatorId, operatorId))
  await transaction.delete(operatorPasskeys).where(eq(operatorPasskeys.operatorId, operatorId))
}

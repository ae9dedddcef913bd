import { createHash, randomInt } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, isNull } from 'drizzle-orm'
import type { AuditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { recoveryCodes } from '../platform/database/schema/factors.js'
import { Clock } from '../platform/time.js'

const CODES = 10

/** The codes for users who have lost their other factors. */
@Injectable()
export class RecoveryCodes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** Ten new codes in place of all that the user has; only their hashes are stored. */
  async replace(transaction: Db, userId: string): Promise<string[]> {
    const codes = Array.from({ length: CODES }, newRecoveryCode)
    const createdAt = this.clock.now()
    await transaction.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
    await transaction
      .insert(recoveryCodes)
      .values(codes.map(code => ({ userId, hash: recoveryCodeHash(userId, code), createdAt })))
    return codes
  }

  /** Like {@link replace} for a user who has no unused code; null for one who has. */
  async replaceIfNone(transaction: Db, userId: string): Promise<string[] | null> {
    return (await this.countLeft(transaction, userId)) > 0 ? null : this.replace(transaction, userId)
  }

  /** Whether it is an unused code of the user. */
  async has(userId: string, code: string): Promise<boolean> {
    const isCode = isUnusedCode(userId, code)
    return (await this.database.run(db => db.$count(recoveryCodes, isCode))) > 0
  }

  /**
   * Uses the code up, with a row in the audit log: of several concurrent calls, on whatever replica, only one gets
   * true.
   */
  async use(transaction: Db, userId: string, code: string, event: AuditEvent): Promise<boolean> {
    const used = await transaction
      .update(recoveryCodes)
      .set({ usedAt: this.clock.now() })
      .where(isUnusedCode(userId, code))
      .returning({ userId: recoveryCodes.userId })
    if (used.length === 0) return false
    await this.auditLog.record(transaction, event)
    return true
  }

  /** How many unused ones the user has. */
  async countLeft(db: Db, userId: string): Promise<number> {
    return db.$count(recoveryCodes, isUnusedOf(userId))
  }
}

function isUnusedCode(userId: string, code: string) {
  return and(isUnusedOf(userId), eq(recoveryCodes.hash, recoveryCodeHash(userId, code)))
}

function isUnusedOf(userId: string) {
  return and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))
}

/** Crockford's base32: no I, L, O or U, which look like others or make words. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 80 bits: too many to try them all, so a fast hash is enough. */
const LETTERS = 16
const LETTERS_A_GROUP = 4

/** A new code, as `XXXX-XXXX-XXXX-XXXX`. */
function newRecoveryCode(): string {
  const letters = Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return (letters.match(new RegExp(`.{${LETTERS_A_GROUP}}`, 'g')) as string[]).join('-')
}

/**
 * What the database stores: base64url SHA-256. However it was typed, the same code of the same user gives the
 * same hash; an equal code of another user does not.
 */
function recoveryCodeHash(userId: string, code: string): string {
  return createHash('sha256')
    .update(`${userId} ${normalizedCode(code)}`)
    .digest('base64url')
}

/** As Crockford defines it: case does not matter, O is 0, I and L are 1; separators are dropped. */
export function normalizedCode(code: string): string {
  return code
    .toUpperCase()
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
    .replace(/[^0-9A-Z]/g, '')
}

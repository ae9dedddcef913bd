import { Injectable } from '@nestjs/common'
import { and, eq, gt } from 'drizzle-orm'
import { Database } from '../../platform/database/database.js'
import { totpFactors } from '../../platform/database/schema/factors.js'
import { type Resealed, SecretBox } from '../../platform/secrets/secrets.js'
import type { TotpRow } from './totp-factors.js'

const ROWS_AT_A_TIME = 100

/** Seals the secrets of authenticator apps with the current key. */
@Injectable()
export class TotpResealing {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /** Reseals what the current key has not sealed, a few at a time. Safe to repeat. */
  async resealAll(): Promise<Resealed> {
    let all: Resealed = { resealed: 0, unreadable: 0 }
    for (let after = ''; ; ) {
      const rows = await this.pageAfter(after)
      const { resealed, unreadable } = await this.secrets.resealOld(
        rows,
        row => row.secret,
        row => this.reseal(row),
      )
      all = { resealed: all.resealed + resealed, unreadable: all.unreadable + unreadable }
      const last = rows.at(-1)
      if (!last) return all
      after = last.userId
    }
  }

  private pageAfter(userId: string): Promise<TotpRow[]> {
    return this.database.run(db =>
      db
        .select()
        .from(totpFactors)
        .where(userId === '' ? undefined : gt(totpFactors.userId, userId))
        .orderBy(totpFactors.userId)
        .limit(ROWS_AT_A_TIME),
    )
  }

  private async reseal({ userId, secret }: TotpRow): Promise<number> {
    const anew = this.secrets.seal(this.secrets.open(secret, userId), userId)
    const isSame = and(eq(totpFactors.userId, userId), eq(totpFactors.secret, secret))
    const done = await this.database.run(db =>
      db.update(totpFactors).set({ secret: anew }).where(isSame).returning({ userId: totpFactors.userId }),
    )
    return done.length
  }
}

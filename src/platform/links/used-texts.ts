import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema/links.js'
import { hashToken } from '../secrets/token-hash.js'
import type { Purpose } from './one-time-token.js'

/** They do not concern any mailbox. */
const NOBODY = ''

/**
 * Texts that were issued without being stored, once they are used: kept with the tokens, and cleaned up with
 * them.
 */
@Injectable()
export class UsedTexts {
  constructor(private readonly clock: Clock) {}

  /** Remembers a text until it expires; false when it is already known. Of two concurrent calls one gets true. */
  async add(transaction: Db, purpose: Purpose, text: string, expiresAt: Date): Promise<boolean> {
    const createdAt = this.clock.now()
    const added = await transaction
      .insert(oneTimeTokens)
      .values({ id: randomUUID(), hash: hashToken(text), purpose, email: NOBODY, createdAt, expiresAt })
      .onConflictDoNothing()
      .returning({ id: oneTimeTokens.id })
    return added.length > 0
  }
}

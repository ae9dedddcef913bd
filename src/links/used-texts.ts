import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema.js'
import { hashOf, type Purpose } from './one-time-token.js'

/** They concern nobody's mailbox. */
const NOBODY = ''

/** What was issued without being stored, once it was used: beside the tokens, and cleared away with them. */
@Injectable()
export class UsedTexts {
  constructor(private readonly clock: Clock) {}

  /** Remembers a text until it expires; false when it is known already. Of two calls at once one gets true. */
  async add(transaction: Db, purpose: Purpose, text: string, expiresAt: Date): Promise<boolean> {
    const createdAt = this.clock.now()
    const added = await transaction
      .insert(oneTimeTokens)
      .values({ id: randomUUID(), hash: hashOf(text), purpose, email: NOBODY, createdAt, expiresAt })
      .onConflictDoNothing()
      .returning({ id: oneTimeTokens.id })
    return added.length > 0
  }
}

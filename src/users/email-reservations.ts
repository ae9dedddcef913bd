import { Injectable } from '@nestjs/common'
import { and, eq, gt, inArray, ne } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { oneTimeTokens } from '../platform/database/schema/platform.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Clock } from '../platform/time.js'
import type { Email } from './email.js'
import type { User } from './user.js'

/** The addresses that users have left and can still restore: nobody else can take them. */
@Injectable()
export class EmailReservations {
  constructor(private readonly clock: Clock) {}

  /**
   * Throws `EMAIL_TAKEN` for an address that another user can still restore, so that nobody can take it
   * meanwhile, for example by an invitation.
   */
  async requireFree(transaction: Db, { id, email }: Pick<User, 'id' | 'email'>): Promise<void> {
    const isOfAnother = and(
      eq(oneTimeTokens.purpose, 'email-undo'),
      eq(oneTimeTokens.email, email),
      ne(oneTimeTokens.userId, id),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
    const reserved = await transaction
      .select({ id: oneTimeTokens.id })
      .from(oneTimeTokens)
      .where(isOfAnother)
      .limit(1)
    if (reserved.length > 0) throw new ApiError('EMAIL_TAKEN')
  }

  /** Those of the addresses that a user can still restore. */
  async among(transaction: Db, emails: readonly Email[]): Promise<ReadonlySet<string>> {
    const isReserved = and(
      eq(oneTimeTokens.purpose, 'email-undo'),
      inArray(oneTimeTokens.email, [...emails]),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
    const reserved = await transaction
      .selectDistinct({ email: oneTimeTokens.email })
      .from(oneTimeTokens)
      .where(isReserved)
    return new Set(reserved.map(({ email }) => email))
  }
}

import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { ApiError, type ErrorCode } from '../platform/errors/api-error.js'
import type { Session } from './session.js'

/**
 * Sessions of users who must set up a second factor have no permissions. So guards look this up only when
 * they refuse anyway, to say why.
 */
@Injectable()
export class EnrolmentRefusal {
  constructor(private readonly database: Database) {}

  /** Throws `SECOND_FACTOR_ENROLMENT_REQUIRED` (403) for a user who must set one up, otherwise `code`. */
  async refuse(session: Session | null, code: ErrorCode): Promise<never> {
    throw new ApiError((await this.mustEnrol(session)) ? 'SECOND_FACTOR_ENROLMENT_REQUIRED' : code)
  }

  async mustEnrol(session: Session | null): Promise<boolean> {
    if (!session) return false
    const [user] = await this.database.run(db =>
      db.select({ mustEnrol: users.mustEnrol }).from(users).where(eq(users.id, session.userId)),
    )
    return user?.mustEnrol ?? false
  }
}

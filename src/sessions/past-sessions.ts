import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import { Database, rowsOf } from '../platform/database/database.js'
import { sessionChanges, userSessions } from '../platform/database/schema/sessions.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { Clock } from '../platform/time.js'
import type { SessionHandle } from './session.js'

/** Why a session is over: it was ended early, or reached its expiry. */
export type SessionOutcome = 'revoked' | 'expired'

/** Made-up identifiers are looked up too, so a flood of them must not take up the database. */
const MAX_LOOKUPS_AT_ONCE = 4

/** What the database still knows about sessions that are over. */
@Injectable()
export class PastSessions {
  private readonly logger = new Logger('PastSessions')
  private lookUps = 0

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * How a session that is not live ended; null when there is no record of it (any more), when the database
   * does not answer, or when too many such look-ups are running. Never throws.
   */
  async outcomeOf(sid: SessionHandle): Promise<SessionOutcome | null> {
    if (this.lookUps >= MAX_LOOKUPS_AT_ONCE) return null
    this.lookUps++
    try {
      return await this.lookUp(sid)
    } catch (error) {
      this.logger.warn(`Could not look up why a session ended: ${causeMessage(error)}`)
      return null
    } finally {
      this.lookUps--
    }
  }

  private async lookUp(sid: SessionHandle): Promise<SessionOutcome | null> {
    const now = sql.param(this.clock.now(), userSessions.expiresAt)
    const found = await this.database.run(db =>
      db.execute(sql`
        select exists (select from ${sessionChanges} where ${sessionChanges.sid} = ${sid}) as revoked,
          exists (select from ${userSessions} where ${userSessions.sid} = ${sid}
            and ${userSessions.expiresAt} <= ${now}) as expired`),
    )
    const [row] = rowsOf<{ revoked: boolean; expired: boolean }>(found)
    if (row?.revoked) return 'revoked'
    return row?.expired ? 'expired' : null
  }
}

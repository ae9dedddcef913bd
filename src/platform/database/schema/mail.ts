import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from '../columns/instant.js'

/**
 * Mails that could not be sent, for as long as sending them again makes sense. `sealed` is the mail and its address, sealed by
 * SECRETS_KEYS_FILE; `linkHash` is the hash of the one-time token in its link, null where it has none.
 */
export const failedMails = pgTable(
  'failed_mails',
  {
    id: uuid('id').primaryKey(),
    sealed: text('sealed').notNull(),
    linkHash: text('link_hash'),
    failedAt: instant('failed_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** What the mail server said last. */
    lastError: text('last_error').notNull(),
    /** Whether it refused this mail for good, as it does an address that does not exist. */
    isRefused: boolean('is_refused').notNull(),
    /** Until when somebody is sending it again; nobody else does until then. */
    claimedUntil: instant('claimed_until'),
  },
  table => [
    index('failed_mails_failed').on(table.failedAt, table.id),
    index('failed_mails_expiry').on(table.expiresAt),
  ],
)

import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { instant } from './columns.js'

/** How much of a shared hourly budget has been used. */
export const hourlyBudgets = pgTable(
  'hourly_budgets',
  { name: text('name').notNull(), hour: instant('hour').notNull(), used: integer('used').notNull() },
  table => [primaryKey({ columns: [table.name, table.hour] })],
)

/** Work that only one replica may do at a time. */
export const leases = pgTable(
  'leases',
  { name: text('name').notNull(), until: instant('until').notNull() },
  table => [primaryKey({ columns: [table.name] })],
)

/**
 * Unused tokens of mailed links, hand-off codes and challenges, and single-use texts that have been used
 * (src/platform/one-time-tokens.ts). `hash` is base64url SHA-256 of the token or text.
 */
export const oneTimeTokens = pgTable(
  'one_time_tokens',
  {
    id: uuid('id').primaryKey(),
    hash: text('hash').notNull(),
    purpose: text('purpose').notNull(),
    email: text('email').notNull(),
    userId: uuid('user_id'),
    accountId: uuid('account_id'),
    detail: jsonb('detail').$type<Readonly<Record<string, unknown>>>().notNull().default({}),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [
    uniqueIndex('one_time_tokens_hash').on(table.hash),
    index('one_time_tokens_email').on(table.email, table.purpose),
    index('one_time_tokens_user').on(table.userId),
    index('one_time_tokens_account').on(table.accountId),
    index('one_time_tokens_expiry').on(table.expiresAt),
  ],
)

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
    /** Until when it is reserved for the one who sends it again. */
    claimedUntil: instant('claimed_until'),
  },
  table => [
    index('failed_mails_failed').on(table.failedAt, table.id),
    index('failed_mails_expiry').on(table.expiresAt),
  ],
)

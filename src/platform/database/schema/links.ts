import { index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { instant } from '../columns/instant.js'

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

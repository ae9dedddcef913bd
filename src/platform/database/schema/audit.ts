import { sql } from 'drizzle-orm'
import {
  bigint,
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

/**
 * Append-only (a trigger refuses UPDATE, and DELETE except for retention): who did what, when, from where, with
 * which outcome. Partitioned by month; the primary key is each partition's own.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().default(sql`nextval('audit_log_id_seq')`),
    at: instant('at').notNull(),
    action: text('action').notNull(),
    outcome: text('outcome').notNull(),
    userId: uuid('user_id'),
    accountId: uuid('account_id'),
    sid: text('sid'),
    ip: text('ip'),
    userAgent: text('user_agent'),
    origin: text('origin'),
    requestId: text('request_id'),
    detail: jsonb('detail').$type<Readonly<Record<string, unknown>>>().notNull().default({}),
  },
  table => [
    index('audit_log_account').on(table.accountId, table.id),
    // Finds a rare action or outcome without scanning the rest of the account.
    index('audit_log_account_action').on(table.accountId, table.action, table.id),
    index('audit_log_account_outcome').on(table.accountId, table.outcome, table.id),
    index('audit_log_user').on(table.userId, table.id),
    index('audit_log_at').on(table.at),
    // What operators did, in an index of its own: few rows among all others.
    index('audit_log_operator').on(table.id).where(sql`(detail ->> 'operator') is not null`),
  ],
)

/**
 * Seals audit rows in the order of `position`: each hash covers the previous one and the row. Append-only
 * too.
 */
export const auditChain = pgTable(
  'audit_chain',
  {
    position: bigint('position', { mode: 'number' }).primaryKey(),
    auditId: bigint('audit_id', { mode: 'number' }).notNull(),
    hash: text('hash').notNull(),
    sealedAt: instant('sealed_at').notNull(),
  },
  table => [uniqueIndex('audit_chain_audit').on(table.auditId)],
)

/**
 * What retention has removed from the audit log: one row, or none. All rows from before `before` may go; of those
 * removed, the ones with an id below `belowId` are known by that, the others by `audit_removed_ids`.
 */
export const auditRetention = pgTable('audit_retention', {
  id: integer('id').primaryKey().default(1),
  before: instant('before').notNull(),
  belowId: bigint('below_id', { mode: 'number' }).notNull(),
})

/** Rows that retention has removed although rows with lower ids remain; few, around the time of the cut. */
export const auditRemovedIds = pgTable('audit_removed_ids', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
})

/**
 * Refusals that have no row in the audit log, counted: `kind` is action, outcome and reason, `network` an
 * IPv4 /24 or IPv6 /48, or `others` for all that were too many to tell apart. Kept for 30 days.
 */
export const refusalCounts = pgTable(
  'refusal_counts',
  {
    minute: instant('minute').notNull(),
    kind: text('kind').notNull(),
    network: text('network').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  table => [primaryKey({ columns: [table.minute, table.kind, table.network] })],
)

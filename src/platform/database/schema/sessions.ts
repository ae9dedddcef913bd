import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Source } from '../../permissions.js'
import { instant, transactionId } from './columns.js'

/**
 * The sessions, wherever they are copied to; the sessionId itself is never stored. `position` is the order of login.
 * What a session may do follows from the rows of its user and account. A row stays until a day after its expiry, so
 * that a client can be told how its session ended.
 */
export const sessions = pgTable(
  'sessions',
  {
    sid: text('sid').primaryKey(),
    position: bigint('position', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    userId: uuid('user_id').notNull(),
    accountId: uuid('account_id').notNull(),
    source: text('source').$type<Source>().notNull(),
    origin: text('origin'),
    /** Empty, like `user_agent`, once the session has ended. */
    ip: text('ip').notNull(),
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull(),
    /** With copies in Redis, those may know of a later use. */
    lastUsed: instant('last_used').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** When it was ended before its expiry; null while it was not. */
    endedAt: instant('ended_at'),
    /** Whether it was ended because nobody had used it for longer than its idle timeout. */
    endedIdle: boolean('ended_idle').notNull().default(false),
    reauthenticatedAt: instant('reauthenticated_at'),
    /** What the user has proved, one bit each: see AuthMethods. */
    amr: integer('amr').notNull(),
    authTime: instant('auth_time').notNull(),
  },
  table => [index('sessions_user').on(table.userId), index('sessions_expiry').on(table.expiresAt)],
)

/**
 * Sessions of satellites that were handed off from a session of the main site. A row is removed when its child is
 * ended, or when its parent would have expired.
 */
export const sessionLinks = pgTable(
  'session_links',
  {
    childSid: text('child_sid').primaryKey(),
    parentSid: text('parent_sid').notNull(),
    userId: uuid('user_id').notNull(),
    origin: text('origin').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [
    index('session_links_parent').on(table.parentSid),
    index('session_links_user').on(table.userId, table.origin),
    index('session_links_expiry').on(table.expiresAt),
  ],
)

/**
 * What has changed about sessions in the last hours: about one, or about all of a user or an account. Each process
 * reads the new rows every second, because a copy that is older than a change must not be served (see ChangeFeed).
 * `xid` is the transaction that made the change.
 */
export const sessionChanges = pgTable(
  'session_changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    sid: text('sid'),
    userId: uuid('user_id'),
    accountId: uuid('account_id'),
    xid: transactionId('xid').notNull().default(sql`pg_current_xact_id()`),
    /** By the database's clock. */
    recordedAt: instant('recorded_at').notNull().default(sql`clock_timestamp()`),
  },
  table => [
    index('session_changes_xid').on(table.xid),
    index('session_changes_recorded').on(table.recordedAt),
  ],
)

/**
 * The word that copies of sessions must bear. A database that was restored from a dump, or promoted, can be told by the
 * transaction that wrote the row and the timeline it was written on: it then gets another word.
 */
export const sessionCopies = pgTable('session_copies', {
  id: integer('id').primaryKey().default(1),
  generation: text('generation').notNull(),
  writtenBy: transactionId('written_by').notNull().default(sql`pg_current_xact_id()`),
  timeline: text('timeline').notNull(),
})

import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Permissions, Source } from '../../permissions.js'
import { instant } from './columns.js'

/** Live sessions, where no Redis is configured. The sessionId itself is never stored. */
export const sessions = pgTable(
  'sessions',
  {
    sid: text('sid').primaryKey(),
    userId: uuid('user_id').notNull(),
    accountId: uuid('account_id').notNull(),
    source: text('source').$type<Source>().notNull(),
    permissions: jsonb('permissions').$type<Permissions>().notNull(),
    origin: text('origin'),
    ip: text('ip').notNull(),
    userAgent: text('user_agent'),
    createdAt: instant('created_at').notNull(),
    lastUsed: instant('last_used').notNull(),
    expiresAt: instant('expires_at').notNull(),
    reauthenticatedAt: instant('reauthenticated_at'),
    /** What the user has proved, one bit each: see AuthMethods. For sessions from before this was kept: a password. */
    amr: integer('amr').notNull().default(1),
    /** Null where it is `created_at`. */
    authTime: instant('auth_time'),
  },
  table => [index('sessions_user').on(table.userId), index('sessions_expiry').on(table.expiresAt)],
)

/**
 * Every user's sessions that may be live, wherever the sessions themselves are stored. They are listed, ended
 * and counted by this table. A row exists from the recorded login until the session ends, or until a day after
 * it has expired; `position` is the order of login.
 */
export const userSessions = pgTable(
  'user_sessions',
  {
    sid: text('sid').primaryKey(),
    userId: uuid('user_id').notNull(),
    position: bigint('position', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [index('user_sessions_user').on(table.userId), index('user_sessions_expiry').on(table.expiresAt)],
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
 * What was done to live sessions, kept until the last session concerned has expired, so that a store that
 * lost its newest writes gets them again. Either the session `sid` ended, or the sessions of `userId` have
 * `granted` from then on; only a user's latest grant is kept.
 */
export const sessionChanges = pgTable(
  'session_changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    sid: text('sid'),
    userId: uuid('user_id'),
    granted: jsonb('granted').$type<Permissions>(),
    /** By the database's clock, at the time of the statement, not of the transaction's start. */
    recordedAt: instant('recorded_at').notNull().default(sql`clock_timestamp()`),
    until: instant('until').notNull(),
  },
  table => [
    index('session_changes_until').on(table.until),
    uniqueIndex('session_changes_sid').on(table.sid),
    uniqueIndex('session_changes_grant').on(table.userId).where(sql`granted is not null`),
  ],
)

/**
 * The Redis that holds the sessions: `generation` is in each of its markers. No row when none has been used
 * yet.
 */
export const sessionStore = pgTable('session_store', {
  id: integer('id').primaryKey().default(1),
  generation: text('generation').notNull(),
  /** Whether every marker has been written once. After that a missing one means lost data. */
  isInitialized: boolean('is_initialized').notNull().default(false),
})

import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Permissions } from '../../permissions.js'
import { accounts } from './accounts.js'
import { type Branding, instant } from './columns.js'

/**
 * A site of an account that may use this API. `origin` has an asterisk where `kind` is `preview`; `ceiling`
 * bounds what its sessions may do. A trigger sets `version` at every change, from `satellite_registry`.
 */
export const satellites = pgTable(
  'satellites',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    origin: text('origin').notNull(),
    name: text('name').notNull(),
    kind: text('kind').$type<'production' | 'preview'>().notNull(),
    state: text('state').$type<'pending' | 'active' | 'suspended'>().notNull(),
    /** Null unless it is suspended. The account cannot resume what an operator has suspended. */
    suspendedBy: text('suspended_by').$type<'account' | 'check' | 'operator'>(),
    ceiling: jsonb('ceiling').$type<Permissions>().notNull(),
    loginMode: text('login_mode').$type<'password' | 'handoff' | 'both'>().notNull(),
    /** Whether second factors may be typed there, or only on the main site. */
    secondFactor: text('second_factor').$type<'handoff' | 'allowed'>().notNull().default('handoff'),
    /** How long its sessions live; null is SESSION_TTL_SECONDS. */
    sessionSeconds: integer('session_seconds'),
    /** Its idle timeout; null is that of the service or the account. */
    idleSeconds: integer('idle_seconds'),
    branding: jsonb('branding').$type<Branding>(),
    createdAt: instant('created_at').notNull(),
    /**
     * Since when the account has had this origin; sessions from before belong to another account. Null while
     * pending.
     */
    activeSince: instant('active_since'),
    version: bigint('version', { mode: 'number' }).notNull().default(0),
  },
  table => [
    uniqueIndex('satellites_origin').on(table.origin).where(sql`state <> 'pending'`),
    uniqueIndex('satellites_account_origin').on(table.accountId, table.origin),
    index('satellites_version').on(table.version),
    // For the operators' pages in their order, and for searching origins by prefix.
    index('satellites_created').on(table.createdAt, table.id),
    index('satellites_origin_prefix').on(table.origin.op('text_pattern_ops')),
    // For finding who has patterns with the same parent host.
    index('satellites_preview_parent')
      .on(sql`substring(${table.origin} from position('.' in ${table.origin}) + 1)`)
      .where(sql`kind = 'preview'`),
  ],
)

/**
 * The proof that a satellite belongs to its account. Kept apart from the satellite, so that a daily check changes
 * nothing there.
 */
export const satelliteProofs = pgTable(
  'satellite_proofs',
  {
    satelliteId: uuid('satellite_id')
      .primaryKey()
      .references(() => satellites.id, { onDelete: 'cascade' }),
    token: text('token').notNull(),
    /** Until when a pending satellite can be proven by it. */
    expiresAt: instant('expires_at').notNull(),
    /** When it was last found, and where; null before the first time. `operator`: it was not looked up. */
    provenAt: instant('proven_at'),
    method: text('method').$type<'dns' | 'file' | 'operator'>(),
    checkedAt: instant('checked_at'),
    failures: integer('failures').notNull().default(0),
    failingSince: instant('failing_since'),
  },
  table => [index('satellite_proofs_checked').on(table.checkedAt)],
)

/**
 * Satellites that were removed in the last day, for the replicas that still know them. Written by a trigger.
 */
export const satelliteRemovals = pgTable('satellite_removals', {
  version: bigint('version', { mode: 'number' }).primaryKey(),
  satelliteId: uuid('satellite_id').notNull(),
  origin: text('origin').notNull(),
  removedAt: instant('removed_at').notNull().defaultNow(),
})

/**
 * One row. `version` counts changes of satellites, in the order of their commits. A replica that has seen less
 * than `rebuilt` has missed removals, and reads everything again.
 */
export const satelliteRegistry = pgTable('satellite_registry', {
  isOnly: boolean('is_only').primaryKey().default(true),
  version: bigint('version', { mode: 'number' }).notNull(),
  rebuilt: bigint('rebuilt', { mode: 'number' }).notNull(),
})

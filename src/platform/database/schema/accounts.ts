import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Permissions } from '../../permissions.js'
import type { PlanLimits } from '../../plans.js'
import { byLetters } from '../sql.js'
import { type HandoffRequirement, instant, type SecondFactorRequirement } from './columns.js'

/**
 * An account. `entitled` is the most that its users are allowed by what is paid for (null means everything);
 * `entitledBy` is the version of the rules, and `entitledUntil` when to work it out again.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    name: text('name'),
    createdAt: instant('created_at').notNull(),
    /** When it is to be deleted, with everything in it; null while no deletion is pending. */
    deleteAt: instant('delete_at'),
    entitled: jsonb('entitled').$type<Permissions>(),
    entitledBy: text('entitled_by'),
    /** How many satellites and users it may have by its plan; null means any number. Worked out with `entitled`. */
    limits: jsonb('limits').$type<PlanLimits>(),
    entitledUntil: instant('entitled_until'),
    /**
     * Who may not type a password on a satellite. A trigger announces changes to replicas, which keep satellites
     * in memory.
     */
    handoffRequired: text('handoff_required').$type<HandoffRequirement>().notNull().default('none'),
    /** Who must have a second factor, and from when on. */
    secondFactor: text('second_factor').$type<SecondFactorRequirement>().notNull().default('off'),
    secondFactorFrom: instant('second_factor_from'),
    /** Whether it is required now. From then on a trigger sets `mustEnrol` of users who change. */
    secondFactorEnforced: boolean('second_factor_enforced').notNull().default(false),
    /** How recent a second factor must be to spend money; null where none is needed. */
    paymentStepUpMinutes: integer('payment_step_up_minutes'),
    /** After how long without a refresh a session of its users is over; null where it sets no limit. */
    idleSeconds: integer('idle_seconds'),
  },
  table => [
    // For searching names by prefix, in any case, as an operator types.
    index('accounts_name_prefix').on(sql`lower(${table.name}) text_pattern_ops`),
    index('accounts_entitled_by').on(table.entitledBy),
    index('accounts_entitled_until').on(table.entitledUntil),
    index('accounts_delete_at').on(table.deleteAt),
    index('accounts_second_factor')
      .on(table.secondFactorFrom)
      .where(sql`second_factor <> 'off' and not second_factor_enforced`),
  ],
)

/**
 * A user. `email` is canonical; `granted` is before the limits of the account and the ceiling of a session's source;
 * `satellites` are the origins that they may log in at (null means all).
 */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    email: text('email').notNull(),
    name: text('name'),
    /** The language of their mails, as a BCP 47 tag; null until it is known. */
    language: text('language'),
    role: text('role').$type<'owner' | 'member'>().notNull(),
    granted: jsonb('granted').$type<Permissions>().notNull(),
    satellites: text('satellites').array(),
    passwordHash: text('password_hash'),
    /** Whether they have a confirmed TOTP secret or a passkey, so that a password alone is not enough. */
    hasSecondFactor: boolean('has_second_factor').notNull().default(false),
    /** Whether the account requires a second factor that they do not have: until they do, they may do nothing else. */
    mustEnrol: boolean('must_enrol').notNull().default(false),
    disabledAt: instant('disabled_at'),
    /** Who has disabled them: their account, or an operator, whose decision the account cannot undo. */
    disabledBy: text('disabled_by').$type<'account' | 'operator'>(),
    createdAt: instant('created_at').notNull(),
    /** The userId of the user who invited them, who may be gone; null for users who came otherwise. */
    invitedBy: uuid('invited_by'),
    /** Null for users who have never logged in. */
    lastLoginAt: instant('last_login_at'),
  },
  table => [
    uniqueIndex('users_email').on(table.email),
    // For searching addresses by prefix, as an operator types.
    index('users_email_prefix').on(table.email.op('text_pattern_ops')),
    // In the orders of the team's pages: by when they joined, by name, and by their last login.
    index('users_account_created').on(table.accountId, table.createdAt, table.id),
    index('users_account_name').on(
      table.accountId,
      byLetters(sql`coalesce(${table.name}, ${table.email})`),
      table.id,
    ),
    index('users_account_login').on(
      table.accountId,
      sql`coalesce(${table.lastLoginAt}, 'epoch'::timestamptz)`,
      table.id,
    ),
    uniqueIndex('users_owner').on(table.accountId).where(sql`role = 'owner'`),
  ],
)

/**
 * An owner has asked a member to become the owner. It is done once the member has accepted and `readyAt` has
 * passed; it is cancelled if it was not accepted by `expiresAt`.
 */
export const ownershipTransfers = pgTable(
  'ownership_transfers',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id),
    fromUserId: uuid('from_user_id').notNull(),
    toUserId: uuid('to_user_id').notNull(),
    requestedAt: instant('requested_at').notNull(),
    readyAt: instant('ready_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    acceptedAt: instant('accepted_at'),
  },
  table => [index('ownership_transfers_ready').on(table.readyAt)],
)

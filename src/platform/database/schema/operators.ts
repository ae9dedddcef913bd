import { bigint, boolean, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { instant } from './columns.js'

/**
 * People who work in the operator console. They are not users: they belong to no account, and nothing of a user's
 * lets them in. Never deleted, so that the audit log's ids keep their names.
 */
export const operators = pgTable(
  'operators',
  {
    id: uuid('id').primaryKey(),
    /** Canonical. */
    email: text('email').notNull(),
    passwordHash: text('password_hash').notNull(),
    /** Sealed by SECRETS_KEYS_FILE with the operator's id. */
    totpSecret: text('totp_secret').notNull(),
    /** The latest 30 s step whose code was used. */
    lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
    createdAt: instant('created_at').notNull(),
    disabledAt: instant('disabled_at'),
  },
  table => [uniqueIndex('operators_email').on(table.email)],
)

/** Logins of operators. `sid` is base64url SHA-256 of the cookie's value. */
export const operatorSessions = pgTable(
  'operator_sessions',
  {
    sid: text('sid').primaryKey(),
    operatorId: uuid('operator_id')
      .notNull()
      .references(() => operators.id),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [
    index('operator_sessions_operator').on(table.operatorId),
    index('operator_sessions_expiry').on(table.expiresAt),
  ],
)

/** WebAuthn credentials of operators, of OPERATOR_ORIGIN's host. `credentialId` and `publicKey` are base64url. */
export const operatorPasskeys = pgTable('operator_passkeys', {
  credentialId: text('credential_id').primaryKey(),
  operatorId: uuid('operator_id')
    .notNull()
    .references(() => operators.id),
  publicKey: text('public_key').notNull(),
  isBackupEligible: boolean('is_backup_eligible').notNull(),
  name: text('name').notNull(),
  createdAt: instant('created_at').notNull(),
})

/** What happened in an hour that is over, counted from the audit log (src/operators/figures.ts). Kept for 30 days. */
export const hourlyFigures = pgTable('hourly_figures', {
  /** When it began. */
  hour: instant('hour').primaryKey(),
  logins: integer('logins').notNull(),
  /** Of these logins, the ones that were proven by more than a password. */
  secondFactors: integer('second_factors').notNull(),
  failedLogins: integer('failed_logins').notNull(),
  signUps: integer('sign_ups').notNull(),
})

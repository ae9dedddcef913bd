import { bigint, boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.js'
import { instant } from './columns.js'

const ownerId = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/**
 * The secret that a user's authenticator app shares with us (RFC 6238), sealed by SECRETS_KEYS_FILE. It takes
 * effect once it is confirmed; `lastStep` is the latest 30 s step whose code was used.
 */
export const totpFactors = pgTable('totp_factors', {
  userId: ownerId().primaryKey(),
  secret: text('secret').notNull(),
  createdAt: instant('created_at').notNull(),
  confirmedAt: instant('confirmed_at'),
  lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
})

/** Codes for users who have lost their other factors, each for one use. `hash` is base64url SHA-256. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: ownerId(),
    hash: text('hash').notNull(),
    createdAt: instant('created_at').notNull(),
    usedAt: instant('used_at'),
  },
  table => [primaryKey({ columns: [table.userId, table.hash] })],
)

/** WebAuthn credentials. `credentialId` and `publicKey` (COSE) are base64url. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    userId: ownerId(),
    rpId: text('rp_id').notNull(),
    credentialId: text('credential_id').notNull(),
    publicKey: text('public_key').notNull(),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    isBackupEligible: boolean('is_backup_eligible').notNull(),
    isBackedUp: boolean('is_backed_up').notNull(),
    /** The make of the authenticator. */
    aaguid: uuid('aaguid').notNull(),
    name: text('name').notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
  },
  table => [
    uniqueIndex('passkeys_credential').on(table.credentialId),
    index('passkeys_user').on(table.userId),
    index('passkeys_rp').on(table.rpId),
  ],
)

/** Browsers that are not asked for a second factor. `hash` is base64url SHA-256 of their cookie's value. */
export const rememberedDevices = pgTable(
  'remembered_devices',
  {
    id: uuid('id').primaryKey(),
    userId: ownerId(),
    hash: text('hash').notNull(),
    name: text('name').notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [
    uniqueIndex('remembered_devices_hash').on(table.hash),
    index('remembered_devices_user').on(table.userId),
    index('remembered_devices_expiry').on(table.expiresAt),
  ],
)

/** A request to remove all factors of a user, which happens at `resetAt` unless it is stopped. */
export const factorResets = pgTable(
  'factor_resets',
  {
    userId: ownerId().primaryKey(),
    /** Null for an operator. */
    requestedBy: uuid('requested_by'),
    requestedAt: instant('requested_at').notNull(),
    resetAt: instant('reset_at').notNull(),
  },
  table => [index('factor_resets_due').on(table.resetAt)],
)

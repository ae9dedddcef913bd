import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { Permissions, Source } from '../permissions/permissions.js'
import type { Branding } from './columns/branding.js'
import type { HandoffRequirement } from './columns/handoff-requirement.js'
import type { SecondFactorRequirement } from './columns/second-factor-requirement.js'

const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

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
    entitledUntil: instant('entitled_until'),
    /** Whether some users may not have `entitled` yet. */
    usersBehind: boolean('users_behind').notNull().default(false),
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
  },
  table => [
    // For searching names by prefix, in any case, as an operator types.
    index('accounts_name_prefix').on(sql`lower(${table.name}) text_pattern_ops`),
    index('accounts_users_behind').on(table.id).where(sql`users_behind`),
    index('accounts_entitled_by').on(table.entitledBy),
    index('accounts_entitled_until').on(table.entitledUntil),
    index('accounts_delete_at').on(table.deleteAt),
    index('accounts_second_factor')
      .on(table.secondFactorFrom)
      .where(sql`second_factor <> 'off' and not second_factor_enforced`),
  ],
)

/**
 * A user. `email` is canonical; `granted` is before the ceiling of a session's source; `satellites` are the
 * origins that they may log in at (null means all); `entitled` repeats the account's, so that one row has all
 * that a session is made of.
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
    entitled: jsonb('entitled').$type<Permissions>(),
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
    /** The userId of whoever invited them, who may be gone; null for users who came otherwise. */
    invitedBy: uuid('invited_by'),
  },
  table => [
    uniqueIndex('users_email').on(table.email),
    // For searching addresses by prefix, as an operator types.
    index('users_email_prefix').on(table.email.op('text_pattern_ops')),
    // In the order of the team's pages.
    index('users_account_created').on(table.accountId, table.createdAt, table.id),
    uniqueIndex('users_owner').on(table.accountId).where(sql`role = 'owner'`),
  ],
)

/**
 * An owner has asked a member to become the owner. It is done once the member has accepted and `readyAt` has
 * passed; it is cancelled if nobody has accepted by `expiresAt`.
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
 * lost its newest writes can be told again. Either the session `sid` ended, or the sessions of `userId` have
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

/**
 * Append-only (a trigger refuses UPDATE, and DELETE except for retention): who did what, when, from where, with
 * which outcome. Partitioned by month, by migration 0018; the primary key is each partition's own.
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

/** How much of a shared hourly budget has been used. */
export const hourlyBudgets = pgTable(
  'hourly_budgets',
  { name: text('name').notNull(), hour: instant('hour').notNull(), used: integer('used').notNull() },
  table => [primaryKey({ columns: [table.name, table.hour] })],
)

/**
 * Tokens of mailed links that nobody has followed yet, and single-use texts that have been used
 * (src/links/used-texts.ts). `hash` is base64url SHA-256 of the token or text; a token is only in its mail.
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
 * What a user has logged in from: kinds of device, networks and devices. `value` is a name, a CIDR block or
 * the SHA-256 of a device id.
 */
export const familiarClients = pgTable(
  'familiar_clients',
  {
    userId: uuid('user_id').notNull(),
    kind: text('kind').$type<'device' | 'network' | 'device id'>().notNull(),
    value: text('value').notNull(),
    firstSeen: instant('first_seen').notNull(),
    lastSeen: instant('last_seen').notNull(),
  },
  table => [
    primaryKey({ columns: [table.userId, table.kind, table.value] }),
    // A login asks whether any user has a device id.
    index('familiar_clients_device_id').on(table.value).where(sql`${table.kind} = 'device id'`),
  ],
)

/**
 * The provider's customer of an account; never found by e-mail address. Null until one is created; `attempt`
 * numbers the creations, for idempotency keys.
 */
export const billingCustomers = pgTable(
  'billing_customers',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id),
    customerId: text('customer_id'),
    attempt: integer('attempt').notNull().default(1),
    /** The provider's account that has the customer, and whether it is live mode; null until known. */
    providerAccount: text('provider_account'),
    isLive: boolean('is_live'),
    /** The name and the e-mail address that the provider was last told; null when none. */
    toldName: text('told_name'),
    toldEmail: text('told_email'),
    /** Whether the account has had a trial: it gets only one. */
    hadTrial: boolean('had_trial').notNull().default(false),
  },
  table => [uniqueIndex('billing_customers_customer').on(table.customerId)],
)

/** Hosted checkouts. `id` makes the provider's idempotency key; at most one is open in an account. */
export const checkouts = pgTable(
  'checkouts',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    priceId: text('price_id').notNull(),
    quantity: integer('quantity').notNull().default(1),
    returnUrl: text('return_url').notNull(),
    trialDays: integer('trial_days').notNull().default(0),
    isOpen: boolean('is_open').notNull().default(true),
    providerId: text('provider_id'),
    url: text('url'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [
    uniqueIndex('checkouts_open').on(table.accountId).where(sql`is_open`),
    index('checkouts_provider').on(table.providerId),
  ],
)

/**
 * An account's subscription as the provider had it when we started reading at `seenAt`; an older reading never
 * overwrites a newer one. `seatsWanted` is the quantity last requested from the provider, as request number
 * `seatsVersion`; null when the provider has it.
 */
export const subscriptions = pgTable('subscriptions', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id),
  providerId: text('provider_id').notNull(),
  status: text('status').notNull(),
  priceId: text('price_id'),
  currentPeriodEnd: instant('current_period_end'),
  /** Whether it has been cancelled, by either of the provider's two fields. */
  cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull(),
  /** When it ends or has ended; null while it is not cancelled. */
  endsAt: instant('ends_at'),
  /** The first payment was on its way and has failed: the subscription stays `incomplete` for a while yet. */
  firstPaymentFailed: boolean('first_payment_failed').notNull().default(false),
  /** Other subscriptions that bill the account's customer as well. */
  surplus: text('surplus').array().notNull().default(sql`'{}'`),
  /** What the last known plan allowed; kept for a price that is no longer in any plan. */
  lastEntitled: jsonb('last_entitled').$type<Permissions>(),
  quantity: integer('quantity'),
  /** When we first saw that a payment is due; null when none is. */
  pastDueSince: instant('past_due_since'),
  seatsWanted: integer('seats_wanted'),
  seatsVersion: integer('seats_version').notNull().default(0),
  seenAt: instant('seen_at').notNull(),
})

/**
 * The inbox: every verified event of the payment provider, as it arrived. The id makes each take effect once;
 * `effect` is null until it is handled.
 */
export const providerEvents = pgTable(
  'provider_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    /** The provider's customer that it concerns; null when it concerns none. */
    customerId: text('customer_id'),
    /** Null for kinds that have no effect here. */
    event: jsonb('event').$type<Readonly<Record<string, unknown>>>(),
    createdAt: instant('created_at').notNull(),
    receivedAt: instant('received_at').notNull(),
    handledAt: instant('handled_at'),
    effect: text('effect'),
  },
  table => [
    index('provider_events_waiting').on(table.customerId, table.createdAt).where(sql`effect is null`),
    index('provider_events_received').on(table.receivedAt),
    // How long events wait, and how many, without reading those that were handled.
    index('provider_events_oldest').on(table.receivedAt).where(sql`effect is null`),
  ],
)

/** Customers that have to be synced; one worker at a time holds each. */
export const billingWork = pgTable(
  'billing_work',
  {
    customerId: text('customer_id').primaryKey(),
    dueAt: instant('due_at').notNull(),
    /** Increases with every new reason to sync, so that one that arrives during a sync is not lost. */
    version: bigint('version', { mode: 'number' }).notNull().default(1),
    /** Random for each claim: only its holder may finish or postpone the work. */
    claim: uuid('claim'),
    claimedUntil: instant('claimed_until'),
    /** Nothing has prompted it: a comparison, which waits while there is something newer to do. */
    isRoutine: boolean('is_routine').notNull().default(false),
    attempts: integer('attempts').notNull().default(0),
    /** When it was given up, until an operator or another event brings it back. */
    parkedAt: instant('parked_at'),
    lastError: text('last_error'),
  },
  table => [
    index('billing_work_due').on(table.isRoutine, table.dueAt),
    // Finds the failed ones among those that have not failed, however many are waiting.
    index('billing_work_failed').on(table.dueAt).where(sql`attempts > 0`),
  ],
)

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
    branding: jsonb('branding').$type<Branding>(),
    createdAt: instant('created_at').notNull(),
    /**
     * Since when the account has had this origin; sessions from before belong to somebody else. Null while
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

/** Somebody has asked to remove all factors of a user, which happens at `resetAt` unless it is stopped. */
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

/** Work that only one replica may do at a time. `holder` is who may renew it, if it is renewed. */
export const leases = pgTable(
  'leases',
  { name: text('name').notNull(), until: instant('until').notNull(), holder: text('holder') },
  table => [primaryKey({ columns: [table.name] })],
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
    /** Until when somebody is sending it again; nobody else does until then. */
    claimedUntil: instant('claimed_until'),
  },
  table => [
    index('failed_mails_failed').on(table.failedAt, table.id),
    index('failed_mails_expiry').on(table.expiresAt),
  ],
)

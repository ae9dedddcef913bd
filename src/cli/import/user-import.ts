import { randomUUID } from 'node:crypto'
import type { INestApplicationContext } from '@nestjs/common'
import { and, eq, getTableColumns, inArray, notExists, sql } from 'drizzle-orm'
import pLimit from 'p-limit'
import { Satellites } from '../../cors/satellites.js'
import { TotpFactors } from '../../factors/totp.js'
import { auditEvent, SERVICE } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import { satellites } from '../../platform/database/schema/satellites.js'
import { insertRows, isAnyOf } from '../../platform/database/sql.js'
import { pluralize } from '../../platform/log.js'
import { PlansFile } from '../../platform/plans.js'
import { Clock } from '../../platform/time.js'
import { reservedAmong } from '../../users/email-addresses.js'
import { queueSeatSync } from '../../users/queue-customer-sync.js'
import type { NewUser } from '../../users/user.js'
import { type Line, linesOf } from './export-records.js'
import { type ImportedUser, LineFault, readImportedUser } from './imported-user.js'

export interface ImportCounts {
  /** Lines that were read; empty ones are not counted. */
  readonly lines: number
  readonly added: number
  readonly alreadyThere: number
  readonly faults: number
}

/** An account, and the customer that it has at the payment provider already. */
export interface PaidAccount {
  readonly accountId: string
  readonly customerId: string
}

/** Both return why not, worded for the operator; null when it can be, or is done. Safe to repeat. */
export interface ImportedCustomers {
  objection(paid: PaidAccount): Promise<string | null>
  link(paid: PaidAccount): Promise<string | null>
}

/** The user on a line, and its number in the file. */
interface NumberedUser {
  readonly line: number
  readonly user: ImportedUser
}

/** Larger batches are not faster, and take more memory. */
const USERS_A_BATCH = 100
const TELL_EVERY_LINES = 5_000
/** A user takes less than 1 KB; an endless line must not fill the memory. */
const MAX_LINE_BYTES = 16 * 1024
/** The payment provider takes some 25 requests a second in its test mode, and one takes three. */
const CUSTOMERS_AT_ONCE = 4

/**
 * Imports users from another system with their password hashes, one JSON object per line.
 *
 * Reads as a stream and holds one batch at a time. Calls `report` with a sentence for each faulty line, which
 * is skipped, and with the progress from time to time. When it throws, what it has reported as done is
 * done; running it again continues, because existing users are left alone. A dry run adds no user and
 * reports the same; it keeps the e-mail addresses and accounts of the file in memory.
 *
 * Accounts are linked to their customers when the whole file has been read, because the number of seats is sent to
 * the provider then. Keeps these in memory. Without `customers`, lines that have one are at fault.
 */
export async function importUsers(
  app: INestApplicationContext,
  source: AsyncIterable<Uint8Array>,
  report: (sentence: string) => void,
  { isDryRun = false, customers }: { isDryRun?: boolean; customers?: ImportedCustomers } = {},
): Promise<ImportCounts> {
  const counts = { lines: 0, added: 0, alreadyThere: 0, faults: 0 }
  const onFault = (line: number, reason: string) => {
    counts.faults++
    report(`Line ${line} ${reason}`)
  }
  let toldAt = 0
  let batch: NumberedUser[] = []
  const earlier = { emails: new Set<string>(), owned: new Set<string>() }
  const paid = new PaidAccounts(customers)
  const write = async () => {
    const unpayable = await paid.refused(batch)
    const others = without(batch, unpayable)
    const { added, alreadyThere, refused } = await (isDryRun
      ? rehearseBatch(app, others, earlier)
      : writeBatch(app, others))
    batch = []
    counts.added += added
    counts.alreadyThere += alreadyThere
    paid.add(without(others, refused))
    for (const { line, reason } of [...unpayable, ...refused]) onFault(line, reason)
  }
  for await (const line of linesOf(source, MAX_LINE_BYTES)) {
    counts.lines++
    const user = read(line, onFault)
    if (user) batch.push({ line: line.number, user })
    if (batch.length === USERS_A_BATCH) await write()
    if (batch.length === 0 && counts.lines - toldAt >= TELL_EVERY_LINES) {
      report(summaryOf(counts, isDryRun))
      toldAt = counts.lines
    }
  }
  if (batch.length > 0) await write()
  if (!isDryRun) for (const { line, reason } of await paid.link()) onFault(line, reason)
  return counts
}

function read({ number, text }: Line, onFault: (line: number, reason: string) => void) {
  try {
    if (text === null) throw new LineFault(`is not UTF-8 or longer than ${MAX_LINE_BYTES} bytes`)
    return readImportedUser(text)
  } catch (error) {
    if (!(error instanceof LineFault)) throw error
    onFault(number, error.message)
    return null
  }
}

/** The accounts of a file whose owners pay already. */
class PaidAccounts {
  private readonly limit = pLimit(CUSTOMERS_AT_ONCE)
  private readonly lines = new Map<number, PaidAccount>()
  /** The account of each customer in the file. */
  private readonly accounts = new Map<string, string>()

  constructor(private readonly customers: ImportedCustomers | undefined) {}

  /** The lines whose customer cannot be that of their account. Asks the provider about each. */
  refused(batch: readonly NumberedUser[]): Promise<RefusedLine[]> {
    return this.refusedBy(paidIn(batch), paid => this.objection(paid))
  }

  add(batch: readonly NumberedUser[]): void {
    for (const [line, paid] of paidIn(batch)) this.lines.set(line, paid)
  }

  /** Returns the lines that could not be linked, although their users have been added. */
  async link(): Promise<RefusedLine[]> {
    const { customers } = this
    if (!customers) return []
    const refused = await this.refusedBy([...this.lines], paid => customers.link(paid))
    return refused.map(({ line, reason }) => ({ line, reason: `is not linked to its customer: ${reason}` }))
  }

  private async objection(paid: PaidAccount): Promise<string | null> {
    const { accountId, customerId } = paid
    const isOfAnother = (this.accounts.get(customerId) ?? accountId) !== accountId
    if (isOfAnother) return `${customerId} is the customer of another account in this file`
    this.accounts.set(customerId, accountId)
    return this.customers ? this.customers.objection(paid) : 'customers cannot be linked here'
  }

  private async refusedBy(
    lines: readonly (readonly [number, PaidAccount])[],
    objectionTo: (paid: PaidAccount) => Promise<string | null>,
  ): Promise<RefusedLine[]> {
    const reasons = lines.map(async ([line, paid]) => {
      const reason = await this.limit(() => objectionTo(paid))
      return reason === null ? [] : [{ line, reason }]
    })
    return (await Promise.all(reasons)).flat()
  }
}

function paidIn(batch: readonly NumberedUser[]): [line: number, PaidAccount][] {
  return batch.flatMap(({ line, user: { account } }) =>
    account.kind === 'own' || account.customerId === null
      ? []
      : [[line, { accountId: account.id, customerId: account.customerId }]],
  )
}

/** The others of a batch. */
function without(
  batch: readonly NumberedUser[],
  refused: readonly { readonly line: number }[],
): NumberedUser[] {
  const lines = new Set(refused.map(({ line }) => line))
  return batch.filter(({ line }) => !lines.has(line))
}

/** The progress of an import. */
export function summaryOf({ lines, added, alreadyThere, faults }: ImportCounts, isDryRun = false): string {
  const here = `${alreadyThere.toLocaleString('en')} already here`
  const users = `${pluralize(added, 'user')} ${isDryRun ? 'would be added' : 'added'}`
  return `${pluralize(lines, 'line')}: ${users}, ${here}, ${pluralize(faults, 'line')} at fault`
}

interface BatchOutcome {
  readonly added: number
  /** Users whose e-mail address was already taken, or is still reserved for its former user. They are left unchanged. */
  readonly alreadyThere: number
  readonly refused: readonly RefusedLine[]
}

/** A line that is skipped, and why, worded for the operator. */
interface RefusedLine {
  readonly line: number
  readonly reason: string
}

/** What the batches before this one would have added, if they had been written. */
interface Earlier {
  readonly emails: Set<string>
  /** Accounts for which they include an owner. */
  readonly owned: Set<string>
}

const NOTHING_EARLIER: Earlier = { emails: new Set(), owned: new Set() }

/** Writes many users at once, in one transaction with its audit row; safe to repeat. */
function writeBatch(app: INestApplicationContext, batch: readonly NumberedUser[]): Promise<BatchOutcome> {
  return app.get(Database).transaction(async transaction => {
    const { accepted, refused } = await review(app, transaction, batch, NOTHING_EARLIER)
    const added = await addUsers(app, transaction, accepted)
    const alreadyThere = batch.length - added - refused.length
    if (added > 0) {
      const lines = { from: batch.at(0)?.line, to: batch.at(-1)?.line }
      const event = auditEvent(SERVICE, 'user.import', { added, alreadyThere, lines })
      await app.get(AuditLog).record(transaction, event)
    }
    return { added, alreadyThere, refused }
  })
}

/**
 * What {@link writeBatch} would do after the batches already rehearsed with the same `earlier`. Changes only
 * `earlier`.
 */
async function rehearseBatch(
  app: INestApplicationContext,
  batch: readonly NumberedUser[],
  earlier: Earlier,
): Promise<BatchOutcome> {
  const { accepted, refused } = await app.get(Database).transaction(db => review(app, db, batch, earlier))
  for (const { user } of accepted) {
    earlier.emails.add(user.email)
    if (user.role === 'owner' && user.account.kind !== 'own') earlier.owned.add(user.account.id)
  }
  return {
    added: accepted.length,
    alreadyThere: batch.length - accepted.length - refused.length,
    refused,
  }
}

/**
 * Checks a batch against the database. `accepted`: users to be added, sorted by e-mail address, so that two
 * concurrent imports lock in the same order and cannot deadlock. `refused`: lines at fault, in line order. The
 * others are here already.
 */
async function review(
  app: INestApplicationContext,
  transaction: Db,
  batch: readonly NumberedUser[],
  earlier: Earlier,
) {
  const fresh = await withoutKnown(app.get(Clock), transaction, batch, earlier)
  const withoutAccount = await onMissingAccounts(transaction, fresh)
  const withAccount = without(fresh, withoutAccount)
  const foreign = await onForeignSatellites(app.get(Satellites), transaction, withAccount)
  const others = await refusedForOwners(transaction, without(withAccount, foreign), earlier.owned)
  const refused = [...withoutAccount, ...foreign, ...others].sort((one, other) => one.line - other.line)
  return { accepted: without(fresh, refused), refused }
}

/** The first of each address that no user has, and for whose former user it is not reserved. */
async function withoutKnown(
  clock: Clock,
  transaction: Db,
  batch: readonly NumberedUser[],
  earlier: Earlier,
): Promise<NumberedUser[]> {
  const emails = batch.map(({ user }) => user.email)
  const known = await transaction
    .select({ email: users.email })
    .from(users)
    .where(inArray(users.email, emails))
  // Not before: an address that its user gives up in between would be in neither.
  const reserved = await reservedAmong(transaction, emails, clock.now())
  const taken = new Set([...known.map(({ email }) => email), ...reserved])
  const byEmail = new Map<string, NumberedUser>()
  for (const numbered of batch) {
    const { email } = numbered.user
    const isKnown = taken.has(email) || earlier.emails.has(email)
    if (!isKnown && !byEmail.has(email)) byEmail.set(email, numbered)
  }
  return [...byEmail.values()].sort((one, other) => (one.user.email < other.user.email ? -1 : 1))
}

/** As for an invitation: the account's own satellites in any state, and those that every account may use. */
async function onForeignSatellites(
  registry: Satellites,
  transaction: Db,
  batch: readonly NumberedUser[],
): Promise<RefusedLine[]> {
  const origins = new Set(batch.flatMap(({ user }) => user.satellites ?? []))
  if (origins.size === 0) return []
  const registered = await transaction
    .select({ accountId: satellites.accountId, origin: satellites.origin })
    .from(satellites)
    .where(inArray(satellites.origin, [...origins]))
  const own = new Set(registered.map(({ accountId, origin }) => `${accountId} ${origin}`))
  // A host that a pattern covers is none: members are admitted to the pattern.
  const isOf = (accountId: string, origin: string) =>
    own.has(`${accountId} ${origin}`) ||
    (registry.isOf(accountId, origin) && registry.find(origin)?.origin === origin)
  return batch
    .filter(({ user: { account, satellites: wanted } }) =>
      wanted?.some(origin => account.kind === 'own' || !isOf(account.id, origin)),
    )
    .map(({ line }) => ({ line, reason: 'has satellites that its account may not use' }))
}

async function onMissingAccounts(transaction: Db, batch: readonly NumberedUser[]): Promise<RefusedLine[]> {
  const missing = await missingAccounts(transaction, batch)
  return batch
    .filter(({ user: { account } }) => account.kind === 'existing' && missing.has(account.id))
    .map(({ line }) => ({ line, reason: 'has an accountId that does not exist here' }))
}

async function missingAccounts(
  transaction: Db,
  batch: readonly NumberedUser[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(
    batch.flatMap(({ user: { account } }) => (account.kind === 'existing' ? account.id : [])),
  )
  if (wanted.size === 0) return wanted
  const found = await transaction
    .select({ id: accounts.id })
    .from(accounts)
    .where(inArray(accounts.id, [...wanted]))
    .orderBy(accounts.id)
    .for('share')
  for (const { id } of found) wanted.delete(id)
  return wanted
}

/**
 * Lines that would give an account a second owner, or add a member to an account without an owner. Existing
 * owners count, as do those on earlier lines and those in `alsoOwned`.
 */
async function refusedForOwners(
  transaction: Db,
  batch: readonly NumberedUser[],
  alsoOwned: ReadonlySet<string>,
): Promise<RefusedLine[]> {
  const owned = new Set([...alsoOwned, ...(await ownedAccounts(transaction, batch))])
  const refused: RefusedLine[] = []
  for (const { line, user } of [...batch].sort((one, other) => one.line - other.line)) {
    if (user.account.kind === 'own') continue
    const { id } = user.account
    if (user.role === 'owner' && owned.has(id))
      refused.push({ line, reason: 'would be a second owner of its account' })
    if (user.role === 'member' && !owned.has(id))
      refused.push({
        line,
        reason: 'belongs to an account without an owner; put the line of its owner first',
      })
    if (user.role === 'owner') owned.add(id)
  }
  return refused
}

async function ownedAccounts(transaction: Db, batch: readonly NumberedUser[]): Promise<Set<string>> {
  const ids = batch.flatMap(({ user: { account } }) => (account.kind === 'own' ? [] : [account.id]))
  if (ids.length === 0) return new Set()
  const owners = await transaction
    .select({ accountId: users.accountId })
    .from(users)
    .where(and(inArray(users.accountId, [...new Set(ids)]), eq(users.role, 'owner')))
  return new Set(owners.map(({ accountId }) => accountId))
}

type Row = typeof users.$inferSelect

/**
 * Adds users with the accounts and the authenticator apps that they bring along. Returns how many: not those whose
 * address has been taken in the meantime.
 */
async function addUsers(
  app: INestApplicationContext,
  transaction: Db,
  fresh: readonly NumberedUser[],
): Promise<number> {
  if (fresh.length === 0) return 0
  const plans = app.get(PlansFile)
  const createdAt = app.get(Clock).now()
  const newcomers = fresh.map(({ user }) => asUser(user))
  const made = await addAccounts(transaction, newcomers, plans, createdAt)
  const rows = newcomers.map(user => asRow(user, createdAt))
  const ending = sql`on conflict do nothing returning id`
  const added = await insertRows(transaction, users, getTableColumns(users), rows, ending)
  // The others have just been added by another process; accounts created only for them must not stay.
  if (added.length < rows.length) await dropEmpty(transaction, made)
  const ids = (added as Pick<Row, 'id'>[]).map(({ id }) => id)
  for (const { id, totpSecret } of newcomers)
    if (totpSecret !== null && ids.includes(id)) await app.get(TotpFactors).add(transaction, id, totpSecret)
  if (plans.haveSeats && ids.length > 0) await queueSeatSync(transaction, ids)
  return added.length
}

/** Adds those that do not exist yet, and returns their ids; locks all of them until the transaction ends. */
async function addAccounts(
  transaction: Db,
  newcomers: readonly NewUser[],
  plans: PlansFile,
  createdAt: Date,
): Promise<string[]> {
  const { withoutPlan: entitled, version: entitledBy } = plans
  const limits = plans.limitsOf(null)
  const ids = [...new Set(newcomers.map(({ accountId }) => accountId))].sort()
  const made = await transaction
    .insert(accounts)
    .values(ids.map(id => ({ id, createdAt, entitled, entitledBy, limits })))
    .onConflictDoNothing()
    .returning({ id: accounts.id })
  // Locked until these users exist; otherwise a change of their account's requirements would miss them.
  await transaction
    .select({ id: accounts.id })
    .from(accounts)
    .where(isAnyOf(accounts.id, ids))
    .orderBy(accounts.id)
    .for('share')
  return made.map(({ id }) => id)
}

interface NewImportedUser extends NewUser, Pick<ImportedUser, 'totpSecret'> {}

function asUser({ account, ...user }: ImportedUser): NewImportedUser {
  const accountId = account.kind === 'own' ? randomUUID() : account.id
  return { ...user, id: randomUUID(), accountId }
}

function asRow({ totpSecret, ...user }: NewImportedUser, createdAt: Date): Row {
  return {
    ...user,
    language: user.language ?? null,
    satellites: user.satellites && [...user.satellites],
    hasSecondFactor: totpSecret !== null,
    mustEnrol: false,
    disabledAt: null,
    disabledBy: null,
    invitedBy: null,
    lastLoginAt: null,
    createdAt,
  }
}

async function dropEmpty(transaction: Db, ids: readonly string[]): Promise<void> {
  const remainingUsers = transaction
    .select({ id: users.id })
    .from(users)
    .where(eq(users.accountId, accounts.id))
  await transaction.delete(accounts).where(and(isAnyOf(accounts.id, ids), notExists(remainingUsers)))
}

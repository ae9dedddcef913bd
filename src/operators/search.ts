import { and, desc, eq, inArray, like, ne, not, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '../platform/database/connection.js'
import { rowsOf } from '../platform/database/database.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { billingCustomers } from '../platform/database/schema/billing.js'
import { satellites } from '../platform/database/schema/satellites.js'
import {
  containsIgnoringCase,
  inAnyLocale,
  startsWith,
  startsWithIgnoringCase,
} from '../platform/database/sql.js'
import { isId } from '../platform/http/request.js'
import { isCalled } from '../users/users.js'

/** Of each way to be found. If more match, type more. */
const MAX_RESULTS = 20
/** How much of each table a step reads: 200 MB, the rows of some 500,000 users, which takes a second or two. */
export const BLOCKS_A_STEP = 25_000

export interface FoundAccount {
  readonly id: string
  readonly name: string | null
  readonly owner: string | null
  readonly createdAt: Date
}

export interface FoundUser {
  readonly id: string
  readonly accountId: string
  readonly email: string
  readonly name: string | null
  readonly role: 'owner' | 'member'
  readonly disabledAt: Date | null
}

interface Found {
  readonly accounts: readonly FoundAccount[]
  readonly users: readonly FoundUser[]
  /** The block where the next step begins; null when this was the last. */
  readonly next: number | null
}

/** A part of a table, in the order in which it is stored. */
interface Part {
  readonly from: number
  readonly blocks: number
}

/**
 * One step of a search, at most 20 of each kind in each way. The first step, from block 0, finds what indexes know: an
 * id, the start of an address or of an account's name, the origin of a satellite, a customer of the payment provider.
 * Each step also finds the text anywhere in the addresses and names of one part of the tables, as no index could. What
 * is written meanwhile may be missed, or found twice.
 */
export async function search(db: Db, text: string, from: number, blocks = BLOCKS_A_STEP): Promise<Found> {
  if (isId(text))
    return { accounts: await accountsOf(db, [text]), users: await usersOf(db, [text]), next: null }
  const part = { from, blocks }
  const isNamed = startsWithIgnoringCase(accounts.name, text)
  const begins = like(users.email, startsWith(text.toLowerCase()))
  const accountIds = await idsOfAccounts(db, text, isNamed, part)
  const userIds = await idsOfUsers(db, text, begins, part)
  const next = from + blocks
  return {
    accounts: await accountsOf(db, accountIds, isNamed),
    users: await usersOf(db, userIds, begins),
    next: next < (await blocksOf(db)) ? next : null,
  }
}

/** Each of the searches uses its own index; combined in one condition they would scan every account. */
async function idsOfAccounts(db: Db, text: string, isNamed: SQL, part: Part): Promise<string[]> {
  const { id, name } = accounts
  const find = (which: SQL | undefined) => db.select({ id }).from(accounts).where(which).limit(MAX_RESULTS)
  const rows = await find(and(isIn(accounts, part), containsIgnoringCase(name, text), not(isNamed)))
  if (part.from > 0) return rows.map(row => row.id)
  const withSatellite = db
    .select({ id: satellites.accountId })
    .from(satellites)
    .where(and(eq(satellites.origin, text), ne(satellites.state, 'pending')))
  const ofCustomer = db
    .select({ id: billingCustomers.accountId })
    .from(billingCustomers)
    .where(eq(billingCustomers.customerId, text))
  rows.push(...(await find(isNamed)), ...(await withSatellite), ...(await ofCustomer))
  return rows.map(row => row.id)
}

async function idsOfUsers(db: Db, text: string, begins: SQL, part: Part): Promise<string[]> {
  const { id, email } = users
  const found = db.select({ id }).from(users)
  const rows = await found.where(and(isIn(users, part), isCalled(text), not(begins))).limit(MAX_RESULTS)
  if (part.from > 0) return rows.map(row => row.id)
  const beginning = db.select({ id }).from(users).where(begins)
  // By bytes, as the index for beginnings has them.
  rows.push(...(await beginning.orderBy(sql`${email} using ~<~`).limit(MAX_RESULTS)))
  return rows.map(row => row.id)
}

/** The accounts with these ids that exist, those `first` of which this is true, then by name. */
export function accountsOf(db: Db, ids: readonly string[], first?: SQL): Promise<FoundAccount[]> {
  const { id, name, createdAt } = accounts
  const isOwner = and(eq(users.accountId, id), eq(users.role, 'owner'))
  return db
    .select({ id, name, owner: users.email, createdAt })
    .from(accounts)
    .leftJoin(users, isOwner)
    .where(inArray(id, [...ids]))
    .orderBy(...(first ? [desc(first)] : []), inAnyLocale(name), id)
}

/** The users with these ids who exist, those `first` of whom this is true, then by address. */
export function usersOf(db: Db, ids: readonly string[], first?: SQL): Promise<FoundUser[]> {
  const { id, accountId, email, name, role, disabledAt } = users
  return db
    .select({ id, accountId, email, name, role, disabledAt })
    .from(users)
    .where(inArray(id, [...ids]))
    .orderBy(...(first ? [desc(first)] : []), sql`${email} using ~<~`)
}

/** Rows in these blocks, which PostgreSQL reads without looking at any others. */
function isIn(table: PgTable, { from, blocks }: Part): SQL {
  const start = (block: number) => sql`${`(${block},0)`}::tid`
  return sql`(${table}.ctid >= ${start(from)} and ${table}.ctid < ${start(from + blocks)})`
}

/** Of the larger of the tables that are searched. */
async function blocksOf(db: Db): Promise<number> {
  const [size] = rowsOf<{ blocks: number }>(
    await db.execute(sql`
      select (greatest(pg_relation_size('users'), pg_relation_size('accounts'))
        / current_setting('block_size')::int)::int as blocks`),
  )
  return size?.blocks ?? 0
}

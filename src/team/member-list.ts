// The members of an account in pages: in the order that is asked for, filtered, and searched.
import { Injectable } from '@nestjs/common'
import { ValidateBy, type ValidationOptions } from 'class-validator'
import { and, asc, count, desc, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { FactorResets } from '../factors/factor-resets.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { byLetters, lettersOf, WITHOUT_SORTING } from '../platform/database/sql.js'
import { ApiError } from '../platform/errors/api-error.js'
import { UNSTORABLE } from '../platform/http/fields.js'
import { decodeCursor, encodeCursor, PageCursor } from '../platform/http/paging.js'
import { UUID } from '../platform/http/request.js'
import type { Permission } from '../platform/permissions.js'
import type { Role, User } from '../users/user.js'
import { isCalled, Users } from '../users/users.js'
import type { TeamMember } from './members.js'

/** How the members can be sorted; with a minus, from the last to the first. The owner is first in each order. */
export const MEMBER_SORTS = ['joined', '-joined', 'name', '-name', 'lastLogin', '-lastLogin'] as const
export type MemberSort = (typeof MEMBER_SORTS)[number]

/** What is sorted by, beside the id. Each key has an index of its own. */
type SortKey = 'joined' | 'name' | 'lastLogin'

/** Members of whom all of this is true. */
interface MemberFilter {
  /** A part of the name or e-mail address, in any case. */
  readonly q?: string
  readonly role?: Role
  /** As granted. */
  readonly permission?: Permission
  readonly hasSecondFactor?: boolean
  readonly isDisabled?: boolean
}

/** A page of at most `limit` members. */
interface MembersPage extends MemberFilter {
  readonly limit: number
  readonly sort: MemberSort
  /** Where it begins, in the same order; at the first without one. */
  readonly after?: MemberPlace
}

/** A position in one of the orders: after this member, or just after the owner. */
export interface MemberPlace {
  readonly sort: MemberSort
  readonly last: LastMember | null
}

interface LastMember {
  /** What they are sorted by, as text. */
  readonly key: string
  readonly id: string
}

/** How many members a page looks at: that takes a few milliseconds, however large the account is. */
const MEMBERS_A_PAGE = 10_000
/** Up to here they are counted, in the index alone. */
const MAX_COUNTED = 50_000

/** The users of an account, as shown to its managers. */
@Injectable()
export class MemberList {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly resets: FactorResets,
  ) {}

  /**
   * One page of the account's users: the owner, then the members in the order that is asked for. It continues where the
   * previous page ended, whoever has joined or left since. With a filter, a page may end early and yet have a `next`.
   * `total` is how many users the account has, whatever the filter; it ends at 50,000.
   */
  async list(accountId: string, page: MembersPage) {
    const { limit, sort, after, role } = page
    const { found, rest, total } = await this.database.transaction(async db => {
      await db.execute(WITHOUT_SORTING)
      const owner = after || role === 'member' ? [] : await ownerIn(db, accountId, page)
      const { members, rest } =
        role === 'owner' ? NOBODY : await membersIn(db, accountId, page, limit + 1 - owner.length)
      return { found: [...owner, ...members], rest, total: await countIn(db, accountId) }
    })
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : rest
    return { users: await this.asTeamMembers(rows), next: last ? memberCursor(sort, last) : null, total }
  }

  /** Throws `NOT_FOUND` for users of other accounts. */
  async find(accountId: string, userId: string): Promise<TeamMember> {
    const user = await this.users.findInAccount(userId, accountId)
    if (!user) throw new ApiError('NOT_FOUND')
    const [member] = await this.asTeamMembers([user])
    return member as TeamMember
  }

  private async asTeamMembers(found: readonly User[]): Promise<TeamMember[]> {
    const resets = await this.resets.timesOf(found.map(({ id }) => id))
    return found.map(user => ({
      userId: user.id,
      email: user.email,
      name: user.name,
      role: user.role,
      permissions: user.granted,
      satellites: user.satellites,
      isDisabled: user.disabledAt !== null,
      hasSecondFactor: user.hasSecondFactor,
      mustEnrol: user.mustEnrol,
      createdAt: user.createdAt,
      factorResetAt: resets.get(user.id) ?? null,
      lastLoginAt: user.lastLoginAt,
    }))
  }
}

const NOBODY = { members: [], rest: null }

/** Nobody where the filter leaves the owner out. */
async function ownerIn(db: Db, accountId: string, filter: MemberFilter): Promise<User[]> {
  const isOwner = and(eq(users.accountId, accountId), sql`${users.role} = 'owner'`)
  const found = await db
    .select()
    .from(users)
    .where(and(isOwner, matches(filter)))
  return found as User[]
}

/**
 * The next `count` members. Where a filter is to be met, only a limited number of them is looked at, so there may be
 * fewer, even none, while there is a `rest`: the last one that was looked at.
 */
async function membersIn(
  db: Db,
  accountId: string,
  { sort, after, ...filter }: MembersPage,
  count: number,
): Promise<{ members: User[]; rest: User | null }> {
  const { key, inOrder, isAfter, isUpTo } = orderOf(sort)
  const isMember = and(eq(users.accountId, accountId), eq(users.role, 'member'))
  const isNext = and(isMember, after?.last ? isAfter(after.last) : undefined)
  const which = matches(filter)
  const [end] = which
    ? ((await db
        .select()
        .from(users)
        .where(isNext)
        .orderBy(...inOrder(key, users.id))
        .offset(MEMBERS_A_PAGE - 1)
        .limit(1)) as User[])
    : []
  // Up to the end also if somebody has moved before it in between. Aliased to the table's name, for the conditions; the outer
  // query finds the rows in its order already.
  const looked = db
    .select({ ...getTableColumns(users), key: key.as('key') })
    .from(users)
    .where(and(isNext, end && isUpTo(lastMember(sort, end))))
    .orderBy(...inOrder(key, users.id))
    .limit(end ? 2 * MEMBERS_A_PAGE : MEMBERS_A_PAGE)
    .as('users')
  const members = await db
    .select(getTableColumns(users))
    .from(looked)
    .where(which)
    .orderBy(...inOrder(sql`${looked.key}`, looked.id))
    .limit(count)
  return { members: members as User[], rest: end ?? null }
}

async function countIn(db: Db, accountId: string): Promise<number> {
  const theirs = db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.accountId, accountId))
    .orderBy(users.createdAt, users.id)
    .limit(MAX_COUNTED)
    .as('theirs')
  const [counted] = await db.select({ total: count() }).from(theirs)
  return counted?.total ?? 0
}

/** Undefined where everybody does. The role is not among it: the owner is read by themselves. */
function matches({ q, permission, hasSecondFactor, isDisabled }: MemberFilter): SQL | undefined {
  return and(
    q === undefined ? undefined : isCalled(q),
    permission && sql`${users.granted} ->> ${permission}::text = 'true'`,
    hasSecondFactor === undefined ? undefined : eq(users.hasSecondFactor, hasSecondFactor),
    isDisabled === undefined ? undefined : (isDisabled ? isNotNull : isNull)(users.disabledAt),
  )
}

const MILLISECONDS = /^\d{1,13}$/
const asTime = (milliseconds: string) => sql`${new Date(Number(milliseconds)).toISOString()}::timestamptz`

/** As the indexes have them; those who never logged in did so longest ago. As text, times are milliseconds since 1970. */
const KEYS = {
  joined: {
    key: sql`${users.createdAt}`,
    textOf: ({ createdAt }: User) => String(createdAt.getTime()),
    form: MILLISECONDS,
    parse: asTime,
  },
  name: {
    key: byLetters(sql`coalesce(${users.name}, ${users.email})`),
    textOf: ({ name, email }: User) => lettersOf(name ?? email),
    // Of a name of accents alone nothing is left.
    form: new RegExp(`^[^${UNSTORABLE}]{0,254}$`, 'u'),
    parse: (text: string) => sql`${text}::text`,
  },
  lastLogin: {
    key: sql`coalesce(${users.lastLoginAt}, 'epoch'::timestamptz)`,
    textOf: ({ lastLoginAt }: User) => String(lastLoginAt?.getTime() ?? 0),
    form: MILLISECONDS,
    parse: asTime,
  },
} as const

function keyOf(sort: MemberSort) {
  return KEYS[sort.replace('-', '') as SortKey]
}

/** Compared as a row, so that an index finds where the page begins. */
function orderOf(sort: MemberSort) {
  const { key, parse } = keyOf(sort)
  const isDescending = sort.startsWith('-')
  const here = sql`(${key}, ${users.id})`
  const there = (last: LastMember) => sql`(${parse(last.key)}, ${last.id}::uuid)`
  const compare = isDescending ? { after: sql`<`, upTo: sql`>=` } : { after: sql`>`, upTo: sql`<=` }
  return {
    key,
    inOrder: (...columns: Parameters<typeof asc>[0][]) => columns.map(isDescending ? desc : asc),
    isAfter: (last: LastMember) => sql`${here} ${compare.after} ${there(last)}`,
    isUpTo: (last: LastMember) => sql`${here} ${compare.upTo} ${there(last)}`,
  }
}

function lastMember(sort: MemberSort, user: User): LastMember {
  return { key: keyOf(sort).textOf(user), id: user.id }
}

/** Where a page in this order ended, as text for `?after=`. */
function memberCursor(sort: MemberSort, user: User): string {
  const { id, key } = lastMember(sort, user)
  return encodeCursor(user.role === 'owner' ? sort : `${sort}.${id}.${key}`)
}

const PLACE = new RegExp(`^(?<sort>-?[a-zA-Z]+)(?:\\.(?<id>${UUID})\\.(?<key>.*))?$`, 'u')

/** The position in one of our cursors; null for any other text. */
export function placeInCursor(text: string): MemberPlace | null {
  const { sort, id, key } = PLACE.exec(decodeCursor(text, PLACE) ?? '')?.groups ?? {}
  if (!isSort(sort)) return null
  if (!id || key === undefined) return { sort, last: null }
  return keyOf(sort).form.test(key) ? { sort, last: { id, key } } : null
}

function isSort(text: string | undefined): text is MemberSort {
  return MEMBER_SORTS.some(sort => sort === text)
}

/** For query fields beside `sort`: where a page begins, in that order. */
export const MemberCursor = () => PageCursor(placeInCursor, IsInOrderAsked)

const IsInOrderAsked = (options: ValidationOptions) =>
  ValidateBy(
    {
      name: 'isInOrderAsked',
      validator: {
        validate: (place: Partial<MemberPlace>, context) =>
          place.sort !== undefined &&
          place.sort === (context?.object as Partial<MembersPage> | undefined)?.sort,
      },
    },
    options,
  )

import { and, eq, gte } from 'drizzle-orm'
import type { AuditAction, TargetUser } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { users } from '../../platform/database/schema/accounts.js'
import { type AuditRow, auditRowsSince } from './audit-rows-since.js'

/** The reason in the audit rows of what a recovery disables or suspends. */
export const RECOVERED = 'recovered'

/** What the audit log calls it when somebody lets a member or a satellite in, and when a recovery shuts them out. */
const READ = [
  'user.create',
  'user.enable',
  'permissions.change',
  'satellites.change',
  'user.disable',
  'satellite.verify',
  'satellite.suspend',
] as const satisfies readonly AuditAction[]

/** What somebody with a user's login may have let into an account, by their ids. */
export interface Reach {
  /** With the user. */
  readonly members: ReadonlySet<string>
  readonly satellites: ReadonlySet<string>
}

/** `gift`: of access, to a member. `closing`: of a member or a satellite, by a recovery of the user. */
interface Step {
  readonly id: number
  readonly kind: 'invitation' | 'gift' | 'activation' | 'closing'
  readonly by: string
  readonly what: string
}

/**
 * The user, and everybody who has been given access since then by the user, or by somebody else among these: by an
 * invitation, by being enabled, by permissions or satellites that they did not have, or by the end of a limit to
 * satellites. And the satellites that one of these has activated. Whom or what an earlier recovery of the user has shut
 * out counts only if one of these has let it in again: otherwise somebody with many links could shut it out again and
 * again. The account must be locked, so that nothing is let in meanwhile.
 */
export async function reachSince(
  transaction: Db,
  { id, accountId }: TargetUser,
  since: Date,
): Promise<Reach> {
  const steps = await recordedSteps(transaction, { id, accountId }, since)
  const recorded = new Set(steps.filter(({ kind }) => kind === 'invitation').map(({ what }) => what))
  const members = new Set([id])
  const satellites = new Set<string>()
  for (const { from, to } of await invitations(transaction, accountId, since))
    if (members.has(from) && !recorded.has(to)) members.add(to)
  for (const { kind, by, what } of steps) {
    if (kind === 'closing') for (const reached of [members, satellites]) reached.delete(what)
    else if (members.has(by)) (kind === 'activation' ? satellites : members).add(what)
  }
  return { members, satellites }
}

/** In the order in which they joined; the rows in the audit log say more exactly when. */
async function invitations(transaction: Db, accountId: string, since: Date) {
  const joined = await transaction
    .select({ from: users.invitedBy, to: users.id })
    .from(users)
    .where(and(eq(users.accountId, accountId), gte(users.createdAt, since)))
    .orderBy(users.createdAt)
  return joined.flatMap(({ from, to }) => (from ? [{ from, to }] : []))
}

/**
 * From the audit log, which nobody can change: a thief could otherwise hide the first gift by a later one, or by
 * removing those in between. In the order of their ids, whatever the clocks of the replicas say.
 */
async function recordedSteps(transaction: Db, { id, accountId }: TargetUser, since: Date): Promise<Step[]> {
  const steps: Step[] = []
  for (const action of READ)
    for await (const row of auditRowsSince(transaction, { accountId, action, since })) {
      const step = stepOf(row, id)
      if (step) steps.push(step)
    }
  return steps.sort((one, other) => one.id - other.id)
}

/** Null for a row that says nothing of what was let in, or shut out by a recovery of this user. */
function stepOf(row: AuditRow, user: string): Step | null {
  const { id, action, userId, detail } = row
  const from = detail.invitedBy ?? detail.by
  if (action === 'satellite.verify') return step(id, 'activation', userId, detail.satellite)
  if (action === 'satellite.suspend' || action === 'user.disable') {
    const [by, what] = action === 'user.disable' ? [from, userId] : [userId, detail.satellite]
    return by === user && detail.reason === RECOVERED ? step(id, 'closing', by, what) : null
  }
  if (action === 'user.create') return step(id, 'invitation', from, userId)
  return isMore(row) ? step(id, 'gift', from, userId) : null
}

function step(id: number, kind: Step['kind'], by: unknown, what: unknown): Step | null {
  return typeof by === 'string' && typeof what === 'string' ? { id, kind, by, what } : null
}

/** Whether it was more than before. */
function isMore({ action, detail: { gained, satellites } }: Pick<AuditRow, 'action' | 'detail'>): boolean {
  const isSome = Array.isArray(gained) && gained.length > 0
  if (action === 'permissions.change') return isSome
  return action !== 'satellites.change' || isSome || satellites === null
}

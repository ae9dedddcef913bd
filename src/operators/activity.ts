import { Controller, Get, Query } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { IsOptional, Matches } from 'class-validator'
import { and, eq, gte, inArray, lt, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { AuditRow } from '../audit/chain.js'
import { idsBetween, pageBefore, RowCursor, RowLimit, scanAuditLog } from '../audit/scan.js'
import { AUDIT_ACTIONS, type AuditAction, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { auditLog } from '../platform/database/schema/audit.js'
import { Instant, OneOf } from '../platform/http/fields.js'
import { UUID } from '../platform/http/request.js'
import { CountsAsWrite } from '../sessions/guards.js'
import { withAccountNames } from './directory.js'
import { CurrentOperatorActor, ForOperators, type OperatorActor } from './operator.guard.js'
import { Operators } from './operators.js'

/** Actions that only read: viewing people and accounts, searching, and lists that contain people. */
const LOOKS = ['operator.view', 'operator.search', 'operator.list'] as const
const LOGINS = ['operator.login', 'operator.logout'] as const
/** Operators are added and disabled only at the command line; the rows name the operator concerned. */
const ABOUT_OPERATORS = ['operator.add', 'operator.disable'] as const
/** The actor of a command, which has no login, as in `detailOf` of the audit log. */
const COMMAND_LINE = 'command line'

/** `changes`: everything but views (`looks`) and logins. */
const KINDS = ['changes', 'looks', 'logins'] as const

/** Selects what operators did; all conditions must hold. */
class ActivityQuery {
  /** An operator's id, or `command line`. */
  @Matches(new RegExp(`^(${UUID}|command line)$`))
  @IsOptional()
  operator?: string

  @OneOf(KINDS, { optional: true }) kind?: (typeof KINDS)[number]
  @OneOf(AUDIT_ACTIONS, { optional: true }) action?: AuditAction

  /** At this time or later. */
  @Instant({ optional: true }) from?: Date

  /** Before this time. */
  @Instant({ optional: true }) to?: Date

  @RowLimit() limit?: number
  @RowCursor() after?: number
}

/** What operators did. */
@ApiExcludeController()
@Controller('api/operator')
export class OperatorActivityController {
  constructor(
    private readonly database: Database,
    private readonly known: Operators,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * A page, newest first, with who did it, to whom and why; with a filter it may end early, with a `next`. A
   * page that shows people counts as viewing them, which is recorded before it is answered.
   */
  @ForOperators()
  @CountsAsWrite()
  @Get('activity')
  async list(@Query() query: ActivityQuery, @CurrentOperatorActor() actor: OperatorActor) {
    const { rows, next } = await this.database.report(async db => {
      const selection = { accountId: null, isByOperator: true, where: conditionOf(query) } as const
      return pageBefore(query, await idsBetween(db, query), step => scanAuditLog(db, selection, step))
    })
    const [emails, operators] = await Promise.all([this.emailsOf(rows), this.known.list()])
    await this.recordView(rows, actor)
    const names = new Map(operators.map(({ id, email }) => [id, email]))
    const shown = rows.map(row => shownRow(row, names, emails))
    return { entries: await withAccountNames(this.database, shown), next }
  }

  /** All operators, including removed ones, for the ids in the audit log. */
  @ForOperators()
  @Get('operators')
  async operators() {
    const all = await this.known.list()
    return { operators: all.map(({ id, email }) => ({ id, email })) }
  }

  /** Current addresses by user id. */
  private async emailsOf(rows: readonly AuditRow[]): Promise<ReadonlyMap<string, string>> {
    const ids = idsOfUsers(rows)
    if (ids.length === 0) return new Map()
    const { id, email } = users
    const found = await this.database.run(db => db.select({ id, email }).from(users).where(inArray(id, ids)))
    return new Map(found.map(user => [user.id, user.email]))
  }

  private async recordView(rows: readonly AuditRow[], actor: OperatorActor): Promise<void> {
    if (!rows.some(hasPerson)) return
    const event = auditEvent(actor, 'operator.list', { list: 'activity', users: idsOfUsers(rows) })
    await this.database.transaction(transaction => this.auditLog.record(transaction, event))
  }
}

function conditionOf({ operator, kind, action, from, to }: ActivityQuery): SQL | undefined {
  const lookOrLogin = [...LOOKS, ...LOGINS]
  return and(
    operator === undefined ? undefined : isBy(operator),
    kind === 'changes' ? notInArray(auditLog.action, lookOrLogin) : undefined,
    kind === 'looks' ? inArray(auditLog.action, [...LOOKS]) : undefined,
    kind === 'logins' ? inArray(auditLog.action, [...LOGINS]) : undefined,
    action && eq(auditLog.action, action),
    from && gte(auditLog.at, from),
    to && lt(auditLog.at, to),
  )
}

/** Changes to operators are made at the command line, whichever operator the row names. */
function isBy(operator: string): SQL | undefined {
  const names = sql`${auditLog.detail} ->> 'operator' = ${operator}`
  if (operator === COMMAND_LINE) return or(names, inArray(auditLog.action, [...ABOUT_OPERATORS]))
  return and(names, notInArray(auditLog.action, [...ABOUT_OPERATORS]))
}

function idsOfUsers(rows: readonly AuditRow[]): string[] {
  return [...new Set(rows.flatMap(({ userId }) => userId ?? []))]
}

/** Whether the row concerns a user, contains a search text, or says who a mail was sent to. */
function hasPerson({ userId, action }: AuditRow): boolean {
  return userId !== null || action === 'operator.search' || action === 'mail.resend'
}

function isAboutOperator(action: string): boolean {
  return (ABOUT_OPERATORS as readonly string[]).includes(action)
}

function shownRow(
  { id, at, action, outcome, userId, accountId, detail: { operator, reason, ...detail } }: AuditRow,
  operators: ReadonlyMap<string, string>,
  emails: ReadonlyMap<string, string>,
) {
  return {
    id,
    at,
    action,
    outcome,
    accountId,
    userId,
    detail,
    email: emails.get(userId ?? '') ?? null,
    // Null for the command line.
    operator: isAboutOperator(action) ? null : (operators.get(String(operator)) ?? null),
    reason: typeof reason === 'string' ? reason : null,
  }
}

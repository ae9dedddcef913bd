import { Controller, Get, Injectable, Query, Res } from '@nestjs/common'
import { ApiOperation, ApiProduces, ApiProperty, ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import pLimit from 'p-limit'
import {
  AUDIT_ACTIONS,
  AUDIT_OUTCOMES,
  type AuditAction,
  type AuditOutcome,
} from '../platform/audit/audit-event.js'
import { unavailable } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag, Id, Instant, ListOf, OneOf, Text, TextsByName, Whole } from '../platform/http/fields.js'
import { SOURCES } from '../platform/permissions.js'
import { CountsAsWrite, LiveSession, MainSite } from '../sessions/guards.js'
import type { Session } from '../sessions/session.js'
import { CurrentActor, CurrentSession, type SessionActor } from '../sessions/session-actor.js'
import { PartOfName } from '../users/name-text.js'
import { AuditExport, EXPORT_FORMATS, type ExportFormat, RunningExports } from './export.js'
import { OCSF_VERSION } from './ocsf.js'
import { type AuditFilter, type PageRequest, RowCursor, RowLimit } from './scan.js'
import { AuditTrail } from './trail.js'

class AuditFilterQuery implements AuditFilter {
  @Id({ optional: true, description: 'Only entries that concern this user' }) user?: string

  @PartOfName(
    'Only entries that concern, or are by, users whose name or e-mail address contains this, in upper or lower case; and those ' +
      'with such an address of who was invited or removed',
  )
  q?: string

  @OneOf(AUDIT_ACTIONS, { optional: true }) action?: AuditAction
  @OneOf(AUDIT_OUTCOMES, { optional: true }) outcome?: AuditOutcome
  @Instant({ optional: true, description: 'Not before this time' }) from?: Date
  @Instant({ optional: true, description: 'Before this time' }) to?: Date
}

class AuditExportQuery extends AuditFilterQuery {
  @OneOf(EXPORT_FORMATS, {
    optional: true,
    default: 'jsonl',
    description: `\`ocsf\`: events of the Open Cybersecurity Schema Framework ${OCSF_VERSION}`,
  })
  format?: ExportFormat
}

class AuditListQuery extends AuditFilterQuery implements PageRequest {
  @RowLimit() limit?: number
  @RowCursor() after?: number
}

class AuditEntry {
  @Whole() id!: number
  @Instant() at!: string
  @OneOf(AUDIT_ACTIONS) action!: string
  @OneOf(AUDIT_OUTCOMES) outcome!: string
  @Id({ nullable: true }) userId!: string | null

  @Text({ nullable: true, description: "The user's current address, or the one at the time of removal" })
  email!: string | null

  @Text({ nullable: true, description: 'The public handle of the session' }) sid!: string | null
  @Text({ nullable: true }) ip!: string | null

  @Text({
    nullable: true,
    example: 'Zürich, Switzerland',
    description: "Roughly where the address is, in the caller's language; null when unknown",
  })
  place!: string | null

  @Text({ nullable: true }) userAgent!: string | null

  @Text({ nullable: true, example: 'Chrome on Windows', description: 'Null for what was not a request' })
  device!: string | null

  @Text({ nullable: true }) origin!: string | null
  @Text({ nullable: true }) requestId!: string | null
  @ApiProperty({ type: 'object', additionalProperties: true }) detail!: object
}

class AuditPage {
  @ListOf(AuditEntry) entries!: AuditEntry[]

  @TextsByName({
    description:
      'E-mail addresses by user id, for every user named in the entries (`userId`, and `detail.by`)',
  })
  people!: Record<string, string>

  @TextsByName({
    description: 'Names by user id, of those in `people` who have one; people choose them freely',
  })
  names!: Record<string, string>

  @Text({
    nullable: true,
    description:
      'For `after`; null on the last page. With a filter, a page can be short or empty and have one',
  })
  next!: string | null
}

/** Each takes milliseconds, unless its filter finds nothing. */
const MAX_REQUESTS = 8

/**
 * The audit pages and login histories of an account take turns, in each process: however many are requested, one is
 * read at a time, so an account takes one connection for reports, or one of the places where reports wait.
 */
@Injectable()
export class AccountTurns {
  private readonly accounts = new Map<string, { inTurn: ReturnType<typeof pLimit>; requests: number }>()

  /** Runs `read` once no other page of this account is being read. Throws `TOO_BUSY` (503) when seven are waiting. */
  async take<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    const account = this.accounts.get(accountId) ?? { inTurn: pLimit(1), requests: 0 }
    if (account.requests >= MAX_REQUESTS) throw unavailable('TOO_BUSY')
    account.requests++
    this.accounts.set(accountId, account)
    try {
      return await account.inTurn(read)
    } finally {
      account.requests--
      if (account.requests === 0) this.accounts.delete(accountId)
    }
  }
}

const FILES: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'attachment; filename="audit-log.jsonl"',
  ocsf: 'attachment; filename="audit-log.ocsf.jsonl"',
}

@ApiTags('History')
@Controller('api/audit')
@MainSite({ permission: 'accountSettings' })
export class AuditController {
  constructor(
    private readonly trail: AuditTrail,
    private readonly auditExport: AuditExport,
    private readonly runningExports: RunningExports,
    private readonly turns: AccountTurns,
  ) {}

  @Get()
  @ApiOperation({
    summary: "The account's audit log",
    description: 'Main site, with the permission accountSettings. Newest first.',
  })
  @Answers(200, 'One page', AuditPage)
  @Refuses('TOO_BUSY')
  list(@CurrentActor() { accountId, client }: SessionActor, @Query() query: AuditListQuery) {
    return this.turns.take(accountId, () => this.trail.list(accountId, query, client.acceptLanguage))
  }

  /** A failure midway cuts the connection, so a transfer that ends properly is complete. */
  @Get('export')
  @CountsAsWrite()
  @ApiProduces('application/x-ndjson')
  @ApiOperation({
    summary: "Export the account's audit log",
    description:
      'As JSON lines, oldest first: `{"row": {…}, "email": "…", "seal": {"position", "previous", "hash"}}`. ' +
      '`hash` is SHA-256 over the text of `previous` and the row as JSON with its names in order and no white space (RFC 8785). ' +
      `With \`format=ocsf\` each line is an event of OCSF ${OCSF_VERSION}: \`raw_data\` is the row as JSON, \`unmapped.seal\` its seal. ` +
      'If the export fails on the way, the connection is cut, so clients see an incomplete transfer. ' +
      'While another export of the same account is running: 429 `TOO_MANY_ATTEMPTS`.',
  })
  @Answers(200, 'The rows that the filter lets through', String)
  @Refuses('TOO_BUSY')
  async export(
    @CurrentActor() actor: SessionActor,
    @Query() { format = 'jsonl', ...filter }: AuditExportQuery,
    @Res() reply: FastifyReply,
  ) {
    const { accountId } = actor
    const text = await this.runningExports.open(accountId, reply.raw, isWanted =>
      this.auditExport.start(actor, { accountId, filter, format, isWanted }),
    )
    // Not awaited: once the reply has started, it is too late for an error response.
    void reply
      .header('Content-Type', 'application/x-ndjson; charset=utf-8')
      .header('Content-Disposition', FILES[format])
      .send(text)
  }
}

class PageQuery implements PageRequest {
  @RowLimit() limit?: number
  @RowCursor() after?: number
}

class LoginEntry {
  @Instant() at!: string
  @OneOf(['ok', 'failed']) outcome!: string
  @OneOf(SOURCES, { nullable: true }) source!: string | null
  @Text({ nullable: true }) origin!: string | null
  @Text({ nullable: true }) ip!: string | null
  @Text({ example: 'Chrome on Windows' }) device!: string

  @Text({ nullable: true, description: 'The public handle of the session that it opened' })
  sid!: string | null
}

class LoginPage {
  @Flag({
    description:
      'Whether these are all; a satellite is shown its own only, unless the user has re-authenticated',
  })
  complete!: boolean

  @ListOf(LoginEntry) logins!: LoginEntry[]

  @Text({
    nullable: true,
    description: 'For `after`; null on the last page. A page can be short or empty and have one',
  })
  next!: string | null
}

@ApiTags('History')
@Controller('api/logins')
@LiveSession()
export class LoginsController {
  constructor(
    private readonly trail: AuditTrail,
    private readonly turns: AccountTurns,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Get your login history',
    description:
      'Logins and failed logins of the caller, newest first: on all sites, or for a session of a satellite on that one alone, unless ' +
      'its user has re-authenticated there.',
  })
  @Answers(200, 'One page', LoginPage)
  @Refuses('TOO_BUSY')
  list(@CurrentSession() session: Session, @Query() query: PageQuery) {
    return this.turns.take(session.accountId, () => this.trail.listLogins(session, query))
  }
}

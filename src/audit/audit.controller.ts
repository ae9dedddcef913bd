import { Controller, Get, Query, Res } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyReply } from 'fastify'
import { MainSite } from '../sessions/guards/protection.decorators.js'
import { CountsAsWrite } from '../sessions/guards/write-limit.guard.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { AccountTurns } from './account-turns.js'
import { AuditExportQuery, AuditListQuery, ExportAuditDocs, ListAuditDocs } from './audit.dto.js'
import { AuditExport } from './audit-export.js'
import { AuditTrail } from './audit-trail.js'
import type { ExportFormat } from './export-format.js'
import { RunningExports } from './running-exports.js'

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

  /** The audit log of the caller's account, a page at a time. */
  @Get()
  @ListAuditDocs()
  list(@CurrentActor() { accountId }: SessionActor, @Query() query: AuditListQuery) {
    return this.turns.take(accountId, () => this.trail.list(accountId, query))
  }

  /**
   * The whole audit log of the caller's account. A failure midway cuts the connection, so a transfer that ends
   * properly is complete.
   */
  @Get('export')
  @CountsAsWrite()
  @ExportAuditDocs()
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

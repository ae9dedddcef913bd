// What was decided here, and why: docs/decisions/http.md
import { Module, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { AuditModule } from '../audit/audit.module.js'
import { AuditLog } from '../audit/audit-log.js'
import { Settings } from '../config/settings.js'
import { clientOf } from '../http/client.js'
import { applyCors } from './cors.hook.js'

@Module({ imports: [AuditModule] })
export class CorsModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
  ) {}

  async onModuleInit(): Promise<void> {
    // The command line has no server.
    const server: FastifyInstance | undefined = this.host.httpAdapter?.getInstance()
    if (!server) return
    await applyCors(server, this.settings, request =>
      this.auditLog.note({
        action: 'origin',
        outcome: 'refused',
        client: clientOf(request),
        detail: { method: request.method },
      }),
    )
  }
}

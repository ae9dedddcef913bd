import { Controller, Get, Header } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { Public } from '../tokens/jwt.guard.js'
import { LiveDocs, ReadyDocs, StatusDocs } from './health.dto.js'
import { PartsMonitor } from './parts-monitor.js'
import { Readiness } from './readiness.js'

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly parts: PartsMonitor,
  ) {}

  /**
   * The process answers. For orchestrators that restart on failure, and for pages that may not read our answers
   * but may know that the service is there.
   */
  @Public()
  @Get('live')
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  @LiveDocs()
  live() {
    return { status: 'ok' }
  }

  /** The service has started and is not stopping. For load balancers. */
  @Public()
  @Get('ready')
  @ReadyDocs()
  ready() {
    this.readiness.check()
    return { status: 'ok' }
  }

  /** Which parts are up. Public: it says no more than a 503 would, and costs nothing. */
  @Public()
  @Get('status')
  @StatusDocs()
  status() {
    return this.parts.status()
  }
}

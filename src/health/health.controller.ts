import { Controller, Get, Header } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { Public } from '../tokens/public.decorator.js'
import { LiveDocs, ReadyDocs, StatusDocs } from './health.docs.js'
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
   * The process answers. An orchestrator that restarts on failure looks here, and so do pages that may not read us: that
   * something is there they may know.
   */
  @Public()
  @Get('live')
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  @LiveDocs()
  live() {
    return { status: 'ok' }
  }

  /** The service has started and is not stopping. A load balancer looks here. */
  @Public()
  @Get('ready')
  @ReadyDocs()
  ready() {
    this.readiness.check()
    return { status: 'ok' }
  }

  /** Which parts are up. Public: it says no more than a 503 of the endpoints that need them, and costs nothing. */
  @Public()
  @Get('status')
  @StatusDocs()
  status() {
    return this.parts.status()
  }
}

import { Controller, Get } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { Public } from '../tokens/public.decorator.js'
import { LiveDocs, ReadyDocs } from './health.docs.js'
import { Readiness } from './readiness.js'

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process answers. An orchestrator that restarts on failure looks here. */
  @Public()
  @Get('live')
  @LiveDocs()
  live() {
    return { status: 'ok' }
  }

  /** Database and session store answer and the service is not stopping. A load balancer looks here. */
  @Public()
  @Get('ready')
  @ReadyDocs()
  async ready() {
    await this.readiness.check()
    return { status: 'ok' }
  }
}

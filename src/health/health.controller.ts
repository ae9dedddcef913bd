import { Controller, Get } from '@nestjs/common'
import { Public } from '../tokens/public.decorator.js'
import { Readiness } from './readiness.js'

@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process answers. An orchestrator that restarts on failure looks here. */
  @Public()
  @Get('live')
  live() {
    return { status: 'ok' }
  }

  /** Database and session store answer and the service is not stopping. A load balancer looks here. */
  @Public()
  @Get('ready')
  async ready() {
    await this.readiness.check()
    return { status: 'ok' }
  }
}

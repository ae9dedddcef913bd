import { Controller, Get, Header, Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { unavailable } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Instant, Nested, OneOf, Text } from '../platform/http/fields.js'
import { Public } from '../tokens/jwt.guard.js'
import { PartsMonitor } from './parts-monitor.js'

/**
 * Whether requests may be sent here. It is about this process alone: a database or Redis that is down is down for
 * every replica, and a load balancer that removed them all would also take down what works without it.
 */
@Injectable()
export class Readiness implements OnApplicationBootstrap {
  private isReady = false

  onApplicationBootstrap(): void {
    this.isReady = true
  }

  /** Throws `NOT_READY` (503) until the service has started, and after `stop()`. */
  check(): void {
    if (!this.isReady) throw unavailable('NOT_READY')
  }

  /** Not ready from now on: requests in progress finish, new ones should go elsewhere. */
  stop(): void {
    this.isReady = false
  }
}

class HealthAnswer {
  @Text({ example: 'ok' }) status!: string
}

class PartAnswer {
  @OneOf(['up', 'down']) state!: string
  @Instant({ description: 'Since when it has been in this state' }) since!: string
}

class PartsAnswer {
  @Nested(PartAnswer) database!: PartAnswer
  @Nested(PartAnswer) sessionStore!: PartAnswer
}

class StatusAnswer {
  @OneOf(['ok', 'degraded']) status!: string
  @Nested(PartsAnswer) parts!: PartsAnswer
}

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
  @ApiOperation({ summary: 'Is the process alive?' })
  @Answers(200, 'It is', HealthAnswer)
  live() {
    return { status: 'ok' }
  }

  @Public()
  @Get('ready')
  @ApiOperation({
    summary: 'May requests be sent here?',
    description: 'About this process alone: it stays ready while a part is down, see `/health/status`.',
  })
  @Answers(200, 'Yes: it has started and is not stopping', HealthAnswer)
  @Refuses('NOT_READY')
  ready() {
    this.readiness.check()
    return { status: 'ok' }
  }

  /** Public: it says no more than a 503 would, and costs nothing. */
  @Public()
  @Get('status')
  @ApiOperation({
    summary: 'Which parts are up?',
    description: 'For operators. The state is checked every second, however often this is asked.',
  })
  @Answers(200, 'Each part with its state, also while one is down', StatusAnswer)
  status() {
    return this.parts.status()
  }
}

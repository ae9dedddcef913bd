import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../platform/http/endpoint.js'

class HealthAnswer {
  @ApiProperty({ type: String, example: 'ok' })
  status!: string
}

class PartAnswer {
  @ApiProperty({ enum: ['up', 'down'] })
  state!: string

  @ApiProperty({ type: String, format: 'date-time', description: 'Since when it has been in this state' })
  since!: string
}

class PartsAnswer {
  @ApiProperty({ type: PartAnswer })
  database!: PartAnswer

  @ApiProperty({ type: PartAnswer })
  sessionStore!: PartAnswer
}

class StatusAnswer {
  @ApiProperty({ enum: ['ok', 'degraded'] })
  status!: string

  @ApiProperty({ type: PartsAnswer })
  parts!: PartsAnswer
}

export const LiveDocs = () =>
  Documented({
    summary: 'Is the process alive?',
    status: 200,
    answer: 'It is',
    type: HealthAnswer,
  })

export const ReadyDocs = () =>
  Documented({
    summary: 'May requests be sent here?',
    description: 'About this process alone: it stays ready while a part is down, see `/health/status`.',
    status: 200,
    answer: 'Yes: it has started and is not stopping',
    type: HealthAnswer,
    refusals: ['NOT_READY'],
  })

export const StatusDocs = () =>
  Documented({
    summary: 'Which parts are up?',
    description: 'For operators. The state is checked every second, however often this is asked.',
    status: 200,
    answer: 'Each part with its state, also while one is down',
    type: StatusAnswer,
  })

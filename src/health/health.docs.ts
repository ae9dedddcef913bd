import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../http/documented.js'

class HealthAnswer {
  @ApiProperty({ type: String, example: 'ok' })
  status!: string
}

export const LiveDocs = () =>
  Documented({
    summary: 'Is the process alive?',
    status: 200,
    answer: 'It is',
    type: HealthAnswer,
    refusals: [],
  })

export const ReadyDocs = () =>
  Documented({
    summary: 'May requests be sent here?',
    status: 200,
    answer: 'Yes: database and session store answer',
    type: HealthAnswer,
    refusals: ['NOT_READY', 'DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE'],
  })

import { applyDecorators } from '@nestjs/common'
import { ApiParam, ApiProperty } from '@nestjs/swagger'
import { Documented, TOKEN_REFUSALS } from '../http/documented.js'

class SessionAnswer {
  @ApiProperty({
    type: String,
    description: 'Its public handle; opens nothing',
    example: '0iXbCZ6pMTi7jYvK0m6Ps4hSQ1cO1xB7bDy3q6cS8sE',
  })
  sid!: string

  @ApiProperty({ type: Boolean, description: 'The session that asks' })
  current!: boolean

  @ApiProperty({ type: String, description: 'As its client calls itself', example: 'Firefox on Linux' })
  device!: string

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Coarsely, where its address is; null when that is not known',
    example: 'Zürich, Switzerland',
  })
  place!: string | null

  @ApiProperty({ type: String, example: '203.0.113.7' })
  ip!: string

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string

  @ApiProperty({ type: String, format: 'date-time', description: 'Its last refresh' })
  lastUsed!: string

  @ApiProperty({ type: String, format: 'date-time', description: 'Use never moves it' })
  expiresAt!: string
}

/** The sessions of one site. */
export class SiteSessionsAnswer {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Its origin; null for apps',
    example: 'https://www.example.com',
  })
  site!: string | null

  @ApiProperty({ enum: ['main', 'satellite', 'app'] })
  kind!: string

  @ApiProperty({ type: [SessionAnswer], description: 'The one used last first' })
  sessions!: SessionAnswer[]
}

class SessionsAnswer {
  @ApiProperty({ type: Boolean, description: 'False on a satellite, which is shown its own sessions only' })
  complete!: boolean

  @ApiProperty({ type: [SiteSessionsAnswer], description: 'The one used last first' })
  sites!: SiteSessionsAnswer[]
}

class EndedAnswer {
  @ApiProperty({ type: Number, description: 'How many there were' })
  ended!: number
}

export const ListSessionsDocs = () =>
  Documented({
    summary: 'List your own live sessions by site',
    description:
      'The main site and apps are shown all of them. A session of a satellite is shown those of its own site, and all of ' +
      'them after `POST /api/reauthenticate`, for as long as that counts; `complete` says which it was.',
    status: 200,
    answer: 'The live sessions',
    type: SessionsAnswer,
    refusals: [...TOKEN_REFUSALS, 'SESSION_NOT_FOUND', 'DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE'],
  })

export const EndSessionDocs = () =>
  applyDecorators(
    ApiParam({ name: 'sid', type: String, description: 'As listed' }),
    Documented({
      summary: 'End one of your own sessions',
      description:
        'It cannot be refreshed any more; an access token that it has got is valid until it expires. What is not in your ' +
        'list (ended before, unknown, of somebody else) is 404.',
      status: 204,
      answer: 'Ended; with its own session the main site loses the cookie too',
      refusals: [
        ...TOKEN_REFUSALS,
        'SESSION_NOT_FOUND',
        'NOT_FOUND',
        'DATABASE_UNAVAILABLE',
        'SESSION_STORE_UNAVAILABLE',
      ],
    }),
  )

export const EndOtherSessionsDocs = () =>
  Documented({
    summary: 'End all your other sessions',
    description:
      'Everywhere, except the one that asks. From a satellite it needs `POST /api/reauthenticate` before.',
    status: 200,
    answer: 'Ended',
    type: EndedAnswer,
    refusals: [
      ...TOKEN_REFUSALS,
      'SESSION_NOT_FOUND',
      'REAUTHENTICATION_REQUIRED',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

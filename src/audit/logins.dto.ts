import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../platform/http/endpoint.js'
import { SOURCES } from '../platform/permissions.js'
import { TEXT_OR_NULL } from './audit.dto.js'
import { RowCursor, RowLimit } from './row-cursor.js'

/** A page of a list. */
export class PageQuery {
  @RowLimit()
  limit?: number

  @RowCursor()
  after?: number
}

class LoginEntry {
  @ApiProperty({ type: String, format: 'date-time' })
  at!: string

  @ApiProperty({ enum: ['ok', 'failed'] })
  outcome!: string

  @ApiProperty({ enum: SOURCES, nullable: true })
  source!: string | null

  @ApiProperty(TEXT_OR_NULL)
  origin!: string | null

  @ApiProperty(TEXT_OR_NULL)
  ip!: string | null

  @ApiProperty({ type: String, example: 'Chrome on Windows' })
  device!: string

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The public handle of the session that it opened' })
  sid!: string | null
}

class LoginPage {
  @ApiProperty({
    description:
      'Whether these are all; a satellite is shown its own only, unless the user has re-authenticated',
  })
  complete!: boolean

  @ApiProperty({ type: [LoginEntry] })
  logins!: LoginEntry[]

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'For `after`; null on the last page. A page can be short or empty and have one',
  })
  next!: string | null
}

export const ListLoginsDocs = () =>
  Documented({
    summary: 'Get your login history',
    description:
      'Logins and failed logins of the caller, newest first: on all sites, or for a session of a satellite on that one alone, unless ' +
      'its user has re-authenticated there.',
    status: 200,
    answer: 'One page',
    type: LoginPage,
    refusals: ['INVALID_QUERY', 'TOO_BUSY'],
  })

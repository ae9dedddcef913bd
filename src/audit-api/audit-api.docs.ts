import { applyDecorators } from '@nestjs/common'
import { ApiProduces, ApiProperty } from '@nestjs/swagger'
import { AUDIT_ACTIONS, AUDIT_OUTCOMES } from '../audit/audit-event.js'
import { Documented } from '../http/documented.js'
import { SOURCES } from '../permissions/permissions.js'

const TEXT_OR_NULL = { type: String, nullable: true } as const

class AuditEntry {
  @ApiProperty({ type: 'integer' })
  id!: number

  @ApiProperty({ type: String, format: 'date-time' })
  at!: string

  @ApiProperty({ enum: AUDIT_ACTIONS })
  action!: string

  @ApiProperty({ enum: AUDIT_OUTCOMES })
  outcome!: string

  @ApiProperty({ ...TEXT_OR_NULL, format: 'uuid' })
  userId!: string | null

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: "The user's current address, or the one at the time of removal",
  })
  email!: string | null

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The public handle of the session' })
  sid!: string | null

  @ApiProperty(TEXT_OR_NULL)
  ip!: string | null

  @ApiProperty(TEXT_OR_NULL)
  userAgent!: string | null

  @ApiProperty({
    ...TEXT_OR_NULL,
    example: 'Chrome on Windows',
    description: 'Null for what was not a request',
  })
  device!: string | null

  @ApiProperty(TEXT_OR_NULL)
  origin!: string | null

  @ApiProperty(TEXT_OR_NULL)
  requestId!: string | null

  @ApiProperty({ type: 'object', additionalProperties: true })
  detail!: object
}

class AuditPage {
  @ApiProperty({ type: [AuditEntry] })
  entries!: AuditEntry[]

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'E-mail addresses by user id, for every user named in the entries (`userId`, and `detail.by`)',
  })
  people!: Record<string, string>

  @ApiProperty({ ...TEXT_OR_NULL, description: 'For `after`; null on the last page' })
  next!: string | null
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

  @ApiProperty({ ...TEXT_OR_NULL, description: 'For `after`; null on the last page' })
  next!: string | null
}

export const ListAuditDocs = () =>
  Documented({
    summary: "The account's audit log",
    description: 'Main site, with the permission accountSettings. Newest first.',
    status: 200,
    answer: 'One page',
    type: AuditPage,
    refusals: ['INVALID_QUERY', 'TOO_BUSY'],
  })

export const ExportAuditDocs = () =>
  applyDecorators(
    ApiProduces('application/x-ndjson'),
    Documented({
      summary: "Export the account's audit log",
      description:
        'As JSON lines, oldest first: `{"row": {…}, "email": "…", "seal": {"position", "previous", "hash"}}`. ' +
        '`hash` is SHA-256 over the text of `previous` and the row as JSON with its names in order and no white space (RFC 8785). ' +
        'If the export fails on the way, the connection is cut, so clients see an incomplete transfer.',
      status: 200,
      answer: 'The rows that the filter lets through',
      refusals: ['INVALID_QUERY', 'TOO_BUSY'],
    }),
  )

export const ListLoginsDocs = () =>
  Documented({
    summary: "Get one's own login history",
    description:
      'Logins and failed logins of the caller, newest first: on all sites, or for a session of a satellite on that one alone, unless ' +
      'its user has re-authenticated there.',
    status: 200,
    answer: 'One page',
    type: LoginPage,
    refusals: ['INVALID_QUERY', 'TOO_BUSY'],
  })

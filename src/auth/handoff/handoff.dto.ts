import { ApiProperty } from '@nestjs/swagger'
import type { Branding } from '../../platform/database/schema/columns.js'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { LoginAnswer } from '../login/login.dto.js'
import { AN_ORIGIN } from './handoff-bodies.dto.js'
import { HANDOFF_ACCESS, type HandoffAccess } from './handoff-destinations.js'

const ISSUER = {
  type: String,
  format: 'uri',
  description: 'Whatever the main site sends back to the satellite names this issuer (RFC 9207)',
} as const

class BrandingAnswer implements Branding {
  @ApiProperty({ type: String })
  name!: string

  @ApiProperty({ type: String, nullable: true })
  logoUrl!: string | null

  @ApiProperty({ type: String, example: '#1d4ed8' })
  accent!: string

  @ApiProperty({ type: String, example: '#ffffff' })
  background!: string
}

export class HandoffDestinationAnswer {
  @ApiProperty({ ...AN_ORIGIN, description: 'The origin from the request' })
  origin!: string

  @ApiProperty({ type: String, description: 'Its host, where the user is not invited' })
  name!: string

  @ApiProperty({ type: BrandingAnswer, nullable: true })
  branding!: Branding | null

  @ApiProperty({
    enum: HANDOFF_ACCESS,
    description: '`access_denied`: people log in there with their password only',
  })
  access!: HandoffAccess

  @ApiProperty({
    type: Boolean,
    description: 'Whether the user has been logged in there in this way, and has not logged out since',
  })
  isKnown!: boolean

  @ApiProperty({ type: String, format: 'email', description: 'Who is logged in' })
  email!: string

  @ApiProperty(ISSUER)
  iss!: string
}

export class OriginAnswer {
  @ApiProperty(AN_ORIGIN)
  origin!: string

  @ApiProperty(ISSUER)
  iss!: string
}

class HandoffAnswer {
  @ApiProperty({
    type: String,
    example: 'https://shop.example.com/handoff-callback#code=…&state=…&iss=…',
    description: 'Where the browser goes now; `code` is valid for 60 s and once',
  })
  redirect!: string
}

export const DestinationDocs = () =>
  Documented({
    summary: 'Get a satellite to which the caller can be handed off',
    description:
      'For the page of the main site that asks whether to go on to a satellite. Of a satellite where the user is not invited ' +
      'it says no more than its host.',
    status: 200,
    answer: 'The satellite, and whether this user may use it',
    type: HandoffDestinationAnswer,
    refusals: ['INVALID_QUERY', 'SATELLITE_NOT_FOUND'],
  })

export const SatelliteOriginDocs = () =>
  Documented({
    summary: 'Whether an origin is that of an active satellite',
    description:
      'For the page of the main site before anybody has logged in, which must lead to satellites only. It says no more than a ' +
      'preflight from that origin does.',
    status: 200,
    answer: 'It is',
    type: OriginAnswer,
    refusals: ['INVALID_QUERY', 'SATELLITE_NOT_FOUND'],
  })

export const IssueCodeDocs = () =>
  Documented({
    summary: 'Hand the login off to a satellite',
    description:
      'For pages of the main site, with a live main session. The address in the answer carries a code that only a page of that satellite ' +
      'can use, and only with the verifier that it has kept.',
    status: 201,
    answer: 'Where to send the browser',
    type: HandoffAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'MAIN_ORIGIN_REQUIRED',
      'NOT_INVITED',
      'SATELLITE_SUSPENDED',
      'HANDOFF_DISABLED',
      'SATELLITE_NOT_FOUND',
      'TOO_MANY_ATTEMPTS',
    ],
  })

export const RedeemDocs = () =>
  Documented({
    summary: 'Log in on a satellite with a code from the main site',
    description:
      'Only from the origin that the code was made for. The session ends with the session of the main site that it comes from, at the latest. ' +
      'Any fault is refused with `HANDOFF_CODE_INVALID`, and the code stays usable. A code that is used again ends the session that it opened.',
    status: 200,
    answer: 'Logged in',
    type: LoginAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'HANDOFF_CODE_INVALID',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

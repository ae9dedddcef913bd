import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator'
import { DEVICE_ID_FORM, type DeviceId } from '../../anomalies/device-id.js'
import type { Branding } from '../../database/branding.js'
import { BODY_REFUSALS, Documented } from '../../http/documented.js'
import { LoginAnswer } from '../login/login.dto.js'
import { HANDOFF_ACCESS, type HandoffAccess } from './handoff-destinations.js'

/** 32 bytes as base64url. */
const OF_32_BYTES = /^[A-Za-z0-9_-]{43}$/
const EXAMPLE_OF_32_BYTES = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
/** Verifiers may be as long as this (RFC 7636 §4.1). */
const MAX_VERIFIER_LENGTH = 128
const MAX_CODE_LENGTH = 100
const MAX_ORIGIN_LENGTH = 300
const AN_ORIGIN = { type: String, example: 'https://shop.example.com', maxLength: MAX_ORIGIN_LENGTH } as const

const ISSUER = {
  type: String,
  format: 'uri',
  description: 'Whatever the main site sends back to the satellite names this issuer (RFC 9207)',
} as const

export class DestinationQuery {
  @ApiProperty({ ...AN_ORIGIN, description: 'The origin of the satellite' })
  @IsString()
  @MaxLength(MAX_ORIGIN_LENGTH)
  satellite!: string
}

export class OriginQuery {
  @ApiProperty(AN_ORIGIN)
  @IsString()
  @MaxLength(MAX_ORIGIN_LENGTH)
  origin!: string
}

export class HandoffBody {
  @ApiProperty({ ...AN_ORIGIN, description: 'The origin of the satellite' })
  @IsString()
  @MaxLength(MAX_ORIGIN_LENGTH)
  satellite!: string

  @ApiProperty({
    type: String,
    minLength: 43,
    maxLength: 43,
    example: EXAMPLE_OF_32_BYTES,
    description: 'base64url SHA-256 of the verifier that the page of the satellite keeps (RFC 7636, S256)',
  })
  @Matches(OF_32_BYTES, { message: 'challenge must be the base64url SHA-256 of a verifier' })
  challenge!: string

  @ApiProperty({
    type: String,
    minLength: 43,
    maxLength: 43,
    example: EXAMPLE_OF_32_BYTES,
    description: '32 random bytes as base64url, by which that page recognises the answer',
  })
  @Matches(OF_32_BYTES, { message: 'state must be 32 bytes as base64url' })
  state!: string
}

export class RedeemBody {
  @ApiProperty({
    type: String,
    maxLength: MAX_CODE_LENGTH,
    description: 'From behind the `#` of the address',
  })
  @IsString()
  @MaxLength(MAX_CODE_LENGTH)
  code!: string

  @ApiProperty({
    type: String,
    maxLength: MAX_VERIFIER_LENGTH,
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    description: 'What the challenge was made of',
  })
  @IsString()
  @MaxLength(MAX_VERIFIER_LENGTH)
  verifier!: string

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 43,
    maxLength: 43,
    description: 'As for `POST /api/login`',
  })
  @IsOptional()
  @Matches(DEVICE_ID_FORM, { message: 'deviceId must be one that an earlier login answered' })
  deviceId?: DeviceId | null
}

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
  @ApiProperty({ ...AN_ORIGIN, description: 'As it was asked for' })
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
    summary: 'A satellite that one may be handed on to',
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
    summary: 'Hand the login on to a satellite',
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
      'Whatever is wrong is `HANDOFF_CODE_INVALID` and does not use the code up. A code that is used again ends the session that it opened.',
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

import { ApiProperty } from '@nestjs/swagger'
import { IsString, Matches, MaxLength } from 'class-validator'
import { type DeviceId, IsDeviceId } from '../../anomalies/known-devices.js'
import { BASE64URL_OF_32_BYTES } from '../../platform/secrets/token-hash.js'

const EXAMPLE_OF_32_BYTES = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
/** The longest verifier that RFC 7636 §4.1 allows. */
const MAX_VERIFIER_LENGTH = 128
const MAX_CODE_LENGTH = 100
const MAX_ORIGIN_LENGTH = 300
export const AN_ORIGIN = {
  type: String,
  example: 'https://shop.example.com',
  maxLength: MAX_ORIGIN_LENGTH,
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
  @Matches(BASE64URL_OF_32_BYTES, { message: 'challenge must be the base64url SHA-256 of a verifier' })
  challenge!: string

  @ApiProperty({
    type: String,
    minLength: 43,
    maxLength: 43,
    example: EXAMPLE_OF_32_BYTES,
    description: '32 random bytes as base64url, by which that page recognises the answer',
  })
  @Matches(BASE64URL_OF_32_BYTES, { message: 'state must be 32 bytes as base64url' })
  state!: string
}

export class RedeemBody {
  @ApiProperty({
    type: String,
    maxLength: MAX_CODE_LENGTH,
    description: 'The part of the address after `#`',
  })
  @IsString()
  @MaxLength(MAX_CODE_LENGTH)
  code!: string

  @ApiProperty({
    type: String,
    maxLength: MAX_VERIFIER_LENGTH,
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    description: 'The verifier from which the challenge was computed',
  })
  @IsString()
  @MaxLength(MAX_VERIFIER_LENGTH)
  verifier!: string

  @IsDeviceId({
    description: 'As for `POST /api/login`',
  })
  deviceId?: DeviceId | null
}

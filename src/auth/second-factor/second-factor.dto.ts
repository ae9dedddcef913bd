import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { IsBoolean, IsString, MaxLength } from 'class-validator'
import { type DeviceId, IsDeviceId } from '../../anomalies/known-devices.js'
import { IsPasskeyResponse } from '../../factors/webauthn.js'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { IfPresent } from '../../platform/http/validation.js'
import { LoginAnswer } from '../login/login.dto.js'
import type { FactorProof } from './factor-check.js'
import { IsAppCode, IsOnlyOneOf, IsRecoveryCode } from '../factor-fields.dto.js'

/** Ours have 43 characters; whether one is valid, only the database knows. */
const MAX_CHALLENGE_LENGTH = 100

export class SecondFactorBody implements FactorProof {
  @ApiProperty({
    type: String,
    maxLength: MAX_CHALLENGE_LENGTH,
    description: 'From the `SECOND_FACTOR_REQUIRED` refusal',
  })
  @IsOnlyOneOf('code', 'recoveryCode', 'passkey')
  @IsString()
  @MaxLength(MAX_CHALLENGE_LENGTH)
  challenge!: string

  @IsAppCode()
  code?: string

  @IsRecoveryCode()
  recoveryCode?: string

  @IsPasskeyResponse({ required: false })
  passkey?: AuthenticationResponseJSON

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'Main site: not to ask this browser for a second factor for 30 days',
  })
  @IfPresent()
  @IsBoolean()
  rememberDevice?: boolean

  @IsDeviceId({
    description: 'As at `POST /api/login`',
  })
  deviceId?: DeviceId | null
}

export const SecondFactorDocs = () =>
  Documented({
    summary: 'Log in: the second step',
    description:
      'Completes a login that `POST /api/login` has answered with 401 `SECOND_FACTOR_REQUIRED`. That answer has the members ' +
      '`challenge`, and `methods`: what the user can use here, of `totp`, `passkey` and `recovery`. The challenge is good for ' +
      'five minutes and five tries, from the same origin; then the answer is `CHALLENGE_EXPIRED`, and the login ' +
      'begins again. Each code counts once. With `rememberDevice` the main site also gets the cookie ' +
      '`__Host-remembered-device`. Wrong codes count like wrong passwords.',
    status: 200,
    answer: 'Logged in, as by `POST /api/login`',
    type: LoginAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'SECOND_FACTOR_INVALID',
      'PASSKEY_INVALID',
      'CHALLENGE_EXPIRED',
      'INVALID_CREDENTIALS',
      'TOO_MANY_ATTEMPTS',
      'MAIN_ORIGIN_REQUIRED',
      'CROSS_SITE_REFUSED',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

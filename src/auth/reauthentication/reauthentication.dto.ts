import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { IsPasskeyResponse } from '../../factors/webauthn.js'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { IfPresent } from '../../platform/http/validation.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'
import { IsAppCode, IsOnlyOneOf, IsRecoveryCode } from '../second-factor/factor-fields.dto.js'
import { REAUTHENTICATION_METHODS, type ReauthenticationMethod } from './reauthentication-methods.js'

export class ReauthenticateBody {
  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description: 'The password that the user has now',
    example: 'correct horse battery staple',
  })
  @IfPresent()
  @IsPassword()
  password?: string

  @IsAppCode()
  code?: string

  @IsRecoveryCode()
  recoveryCode?: string

  @IsPasskeyResponse({ required: false })
  @IsOnlyOneOf('password', 'code', 'recoveryCode', 'passkey')
  passkey?: AuthenticationResponseJSON
}

class ReauthenticationMethodsAnswer {
  @ApiProperty({ enum: REAUTHENTICATION_METHODS, isArray: true })
  methods!: readonly ReauthenticationMethod[]
}

class ReauthenticationAnswer {
  @ApiProperty({ type: String, format: 'date-time', description: 'When the re-authentication expires' })
  reauthenticatedUntil!: string
}

export const ReauthenticateDocs = () =>
  Documented({
    summary: 'Re-authenticate',
    description:
      'Takes exactly one of the proofs; for a passkey, request `POST /api/login/passkey/options` first. Marks the session of the ' +
      'access token for some minutes (10 unless configured). Endpoints that require it answer ' +
      '401 `REAUTHENTICATION_REQUIRED` with `WWW-Authenticate: Bearer error="insufficient_user_authentication", max_age="600"` ' +
      '(RFC 9470) and the member `methods`: what the user can use here, of `password`, `totp`, `passkey` and `recovery`. No new ' +
      'access token is needed; the next one says in `amr` and `auth_time` what was proved. After 503 `SESSION_STORE_UNAVAILABLE` ' +
      'the same code can be sent again in this session for two minutes.',
    status: 200,
    answer: 'The proof is right',
    type: ReauthenticationAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_CREDENTIALS',
      'SECOND_FACTOR_INVALID',
      'PASSKEY_INVALID',
      'OWNER_LOGIN_BARRED',
      'HANDOFF_REQUIRED',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
    ],
  })

export const ReauthenticationMethodsDocs = () =>
  Documented({
    summary: 'How to re-authenticate',
    description: 'What the user has, and may use on pages of this origin.',
    status: 200,
    answer: 'The methods',
    type: ReauthenticationMethodsAnswer,
    refusals: ['DATABASE_UNAVAILABLE'],
  })

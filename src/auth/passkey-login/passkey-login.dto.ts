import { ApiProperty, PickType } from '@nestjs/swagger'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { IsPasskeyResponse } from '../../factors/passkeys/passkey-response.dto.js'
import { BODY_REFUSALS, Documented } from '../../platform/http/documented.js'
import { LoginAnswer, LoginBody } from '../login.controller.js'

export class PasskeyLoginBody extends PickType(LoginBody, ['source', 'deviceId'] as const) {
  @IsPasskeyResponse({ required: true })
  response!: AuthenticationResponseJSON
}

export class PasskeyOptionsAnswer {
  @ApiProperty({ type: String, description: 'For one use, within 5 minutes' })
  challenge!: string

  @ApiProperty({
    type: String,
    description: 'The domain that the passkeys belong to',
    example: 'example.com',
  })
  rpId!: string

  @ApiProperty({ type: 'integer', description: 'In milliseconds', example: 300_000 })
  timeout!: number

  @ApiProperty({ enum: ['required'] })
  userVerification!: 'required'

  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    maxItems: 0,
    description: 'Empty: the authenticator shows which passkeys it has',
  })
  allowCredentials!: never[]
}

class RelatedOriginsAnswer {
  @ApiProperty({ type: [String], example: ['https://www.brand.example'] })
  origins!: readonly string[]
}

export const PasskeyOptionsDocs = () =>
  Documented({
    summary: 'Get the options for navigator.credentials.get()',
    description:
      'PublicKeyCredentialRequestOptionsJSON, to log in, as a second factor, or to re-authenticate. The same for everybody; nothing is stored.',
    status: 200,
    answer: 'The options',
    type: PasskeyOptionsAnswer,
  })

export const PasskeyLoginDocs = () =>
  Documented({
    summary: 'Log in with a passkey',
    description:
      'A passkey that verified its user counts as two factors. Otherwise like `POST /api/login`. Satellites may do so where PASSKEY_RELATED_ORIGINS lists them. ' +
      'Any fault is refused with `PASSKEY_INVALID`: the challenge, the page, the signature, or a user who may not log in there.',
    status: 200,
    answer: 'Logged in',
    type: LoginAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'PASSKEY_INVALID',
      'TOO_MANY_ATTEMPTS',
      'MAIN_ORIGIN_REQUIRED',
      'CROSS_SITE_REFUSED',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

export const RelatedOriginsDocs = () =>
  Documented({
    summary: 'Other origins where the same passkeys work',
    description:
      'For browsers (WebAuthn Level 3 §5.11), at the domain that the passkeys belong to. Only if PASSKEY_RELATED_ORIGINS is set.',
    status: 200,
    answer: 'The origins',
    type: RelatedOriginsAnswer,
    refusals: ['NOT_FOUND'],
  })

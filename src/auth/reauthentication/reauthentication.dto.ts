import { ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS, Documented } from '../../http/documented.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class ReauthenticateBody {
  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description: 'The password that the user has now',
    example: 'correct horse battery staple',
  })
  @IsPassword()
  password!: string
}

class ReauthenticationAnswer {
  @ApiProperty({ type: String, format: 'date-time', description: 'When the re-authentication expires' })
  reauthenticatedUntil!: string
}

export const ReauthenticateDocs = () =>
  Documented({
    summary: 'Re-authenticate',
    description:
      'Marks the session of the access token for some minutes (10 unless configured). Endpoints that require it answer ' +
      '401 `REAUTHENTICATION_REQUIRED` with `WWW-Authenticate: Bearer error="insufficient_user_authentication", max_age="600"` ' +
      '(RFC 9470). No new access token is needed.',
    status: 200,
    answer: 'The password is right',
    type: ReauthenticationAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_CREDENTIALS',
      'OWNER_LOGIN_BARRED',
      'HANDOFF_REQUIRED',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
    ],
  })

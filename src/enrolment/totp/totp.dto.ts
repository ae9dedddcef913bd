import { ApiProperty } from '@nestjs/swagger'
import { IsString, MaxLength, MinLength } from 'class-validator'
import { MAX_CODE_LENGTH } from '../../auth/factor-fields.dto.js'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'

export class TotpCodeBody {
  @ApiProperty({ type: String, minLength: 1, maxLength: MAX_CODE_LENGTH, example: '123456' })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_CODE_LENGTH)
  code!: string
}

class TotpSecretAnswer {
  @ApiProperty({
    type: String,
    description: 'Base32, to be typed',
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  })
  secret!: string

  @ApiProperty({
    type: String,
    description: 'The same as a QR code has it',
    example:
      'otpauth://totp/www.example.com:owner%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=www.example.com',
  })
  uri!: string
}

class NewRecoveryCodesAnswer {
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Ten new ones, which are not shown again; null when the user still has some',
    example: ['7K3M-9XQ2-VB4N-H8TE'],
  })
  recoveryCodes!: readonly string[] | null
}

export const BeginTotpDocs = () =>
  Documented({
    summary: 'Request a secret for an authenticator app',
    description:
      'RFC 6238: SHA-1, 6 digits, 30 s. It counts once `POST /api/second-factor/totp/confirm` has seen a code of it, and ' +
      'replaces one that was never confirmed.',
    status: 201,
    answer: 'The secret, which is not shown again',
    type: TotpSecretAnswer,
    refusals: ['TOTP_EXISTS', 'DATABASE_UNAVAILABLE'],
  })

export const ConfirmTotpDocs = () =>
  Documented({
    summary: 'Confirm the authenticator app by a code',
    description:
      'From then on a password alone does not log the user in. If it is their first factor, their other sessions end, and what ' +
      'may have been started in them is cancelled: another address or owner, resets of others. This session counts as one with two factors. The user is mailed.',
    status: 200,
    answer: 'The app is set up',
    type: NewRecoveryCodesAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'SECOND_FACTOR_INVALID',
      'TOTP_NOT_STARTED',
      'TOTP_EXISTS',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

export const RemoveTotpDocs = () =>
  Documented({
    summary: 'Remove the authenticator app',
    description: 'All remembered devices are forgotten. Without any other factor the recovery codes go too.',
    status: 204,
    answer: 'There is none any more',
    refusals: ['SECOND_FACTOR_NEEDED', 'LAST_WAY_IN', 'DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE'],
  })

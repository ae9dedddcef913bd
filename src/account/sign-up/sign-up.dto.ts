import { ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { IsMailedToken } from '../../platform/one-time-tokens.js'
import { type Email, IsEmailAddress } from '../../users/email.js'
import { IsName } from '../../users/name-text.js'
import {
  IsNewPassword,
  IsPassword,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
} from '../../users/passwords/password-text.js'

export class SignUpBody {
  @ApiProperty({ type: String, format: 'email', maxLength: 254, example: 'rosa@example.com' })
  @IsEmailAddress()
  email!: Email

  @ApiProperty({
    type: String,
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    example: 'correct horse battery staple',
  })
  @IsNewPassword()
  password!: string

  /** The owner's name. */
  @IsName({ required: false })
  name?: string
}

export class VerifySignUpBody {
  @IsMailedToken()
  token!: string

  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description: 'The one given at the sign-up',
  })
  @IsPassword()
  password!: string
}

class SignedUpAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  userId!: string
}

export const SignUpDocs = () =>
  Documented({
    summary: 'Sign up',
    description:
      'Mails a link to the address, valid for 24 hours; nothing exists before it is followed. If the address already has a ' +
      'user, it gets a mail that says so; the answer is the same.',
    status: 202,
    answer: 'A mail is on its way',
    refusals: [
      ...BODY_REFUSALS,
      'WEAK_PASSWORD',
      'TOO_MANY_ATTEMPTS',
      'MAIL_UNAVAILABLE',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
    ],
  })

export const VerifySignUpDocs = () =>
  Documented({
    summary: 'Confirm the e-mail address of a sign-up',
    description:
      'Creates the account and its owner, who can then log in. It takes the password of the sign-up again, because whoever ' +
      'reads the mail may not be the one who chose it. With a wrong password the link stays valid.',
    status: 201,
    answer: 'The account has been created',
    type: SignedUpAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_LINK',
      'INVALID_CREDENTIALS',
      'EMAIL_TAKEN',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
    ],
  })

import { ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS, Documented } from '../../http/documented.js'

class SignedUpAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  userId!: string
}

export const SignUpDocs = () =>
  Documented({
    summary: 'Sign up',
    description:
      'Mails a link to the address, good for 24 hours; nothing exists before it is followed. An address that has a user ' +
      'already gets a mail that says so. The answer is the same.',
    status: 202,
    answer: 'A mail is on its way',
    refusals: [
      ...BODY_REFUSALS,
      'WEAK_PASSWORD',
      'SIGN_UP_CLOSED',
      'MAIN_ORIGIN_REQUIRED',
      'CROSS_SITE_REFUSED',
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
      'Makes the account and its owner, who can log in then. Asks for the password of the sign-up again: whoever reads the mail ' +
      'may not be who chose it. With a wrong one the link stays good.',
    status: 201,
    answer: 'The account is there',
    type: SignedUpAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_LINK',
      'INVALID_CREDENTIALS',
      'SIGN_UP_CLOSED',
      'MAIN_ORIGIN_REQUIRED',
      'CROSS_SITE_REFUSED',
      'EMAIL_TAKEN',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
    ],
  })

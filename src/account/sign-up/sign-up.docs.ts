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

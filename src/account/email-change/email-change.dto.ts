import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { IfPresent } from '../../platform/http/validation.js'
import { MailedLinkBody } from '../../platform/one-time-tokens.js'
import { type Email, IsEmailAddress } from '../../users/email.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class EmailChangeBody {
  @ApiProperty({
    type: String,
    format: 'email',
    maxLength: 254,
    description: 'The new address',
    example: 'rosa@example.org',
  })
  @IsEmailAddress()
  email!: Email
}

export class ConfirmEmailBody extends MailedLinkBody {
  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description:
      'The password of the account; not needed with access token and cookie of a main session of its user',
  })
  @IfPresent()
  @IsPassword()
  password?: string
}

export const AskEmailChangeDocs = () =>
  Documented({
    summary: 'Request another e-mail address',
    description:
      'Main site, after a re-authentication. Mails a link to the new address, valid for 24 hours; nothing changes before it is ' +
      'followed. If the address already has a user, it gets a mail that says so; the answer is the same.',
    status: 202,
    answer: 'A mail is on its way',
    refusals: [...BODY_REFUSALS, 'TOO_MANY_ATTEMPTS', 'MAIL_UNAVAILABLE'],
  })

export const ConfirmEmailChangeDocs = () =>
  Documented({
    summary: 'Confirm the new e-mail address',
    description:
      'With access token and cookie of a main session of the user, or with the password: the link alone is no proof. The user logs ' +
      'in with the new address from then on; sessions continue. The old address is sent a link to undo the change, unless the ' +
      'user goes back to an address that they left within the last 7 days.',
    status: 204,
    answer: 'The address is changed',
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_CREDENTIALS',
      'INVALID_LINK',
      'REAUTHENTICATION_REQUIRED',
      'SECOND_FACTOR_ENROLMENT_REQUIRED',
      'EMAIL_TAKEN',
      'TOO_MANY_ATTEMPTS',
      'TOO_BUSY',
      'MAIL_UNAVAILABLE',
    ],
  })

export const UndoEmailChangeDocs = () =>
  Documented({
    summary: 'Undo a change of the e-mail address',
    description:
      'With the link in the mail to the old address, within 7 days. That address comes back, all sessions end, the password is ' +
      'removed, and the old address is sent a link for a new one. Links from later changes stop working. Invitations, a ' +
      'transfer and a deletion of the account that were pending are cancelled.',
    status: 204,
    answer: 'The old address is back',
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_LINK',
      'EMAIL_TAKEN',
      'TOO_MANY_ATTEMPTS',
      'MAIL_UNAVAILABLE',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })

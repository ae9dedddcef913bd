import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsOptional } from 'class-validator'
import { MailedLinkBody } from '../../links/mailed-link.body.js'
import { IsPassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password-text.js'

export class ConfirmEmailBody extends MailedLinkBody {
  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: MAX_PASSWORD_LENGTH,
    description:
      'The password of the account; not needed with access token and cookie of a main session of its user',
  })
  @IsOptional()
  @IsPassword()
  password?: string
}

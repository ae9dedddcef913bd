import { applyDecorators } from '@nestjs/common'
import { ApiProperty } from '@nestjs/swagger'
import { IsString, MaxLength } from 'class-validator'

/** Ours have 43 characters; a slightly longer one comes from a link that a mail program has mangled. */
const MAX_LENGTH = 100

/**
 * For body fields: the text after `#token=` in a mailed link. Only {@link OneTimeTokens} knows whether it is
 * valid.
 */
export function IsMailedToken(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: String, maxLength: MAX_LENGTH, description: 'From behind `#token=` in the link' }),
    IsString(),
    MaxLength(MAX_LENGTH),
  )
}

/** A body that contains nothing else. */
export class MailedLinkBody {
  @IsMailedToken()
  token!: string
}

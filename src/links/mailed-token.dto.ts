import { applyDecorators } from '@nestjs/common'
import { ApiProperty } from '@nestjs/swagger'
import { IsString, MaxLength } from 'class-validator'

/** Ours have 43 characters; a slightly longer one is a link that a mail program has damaged. */
const MAX_LENGTH = 100

/**
 * For body fields: text from behind the `#token=` of a mailed link. Whether it is valid, only
 * {@link OneTimeTokens} knows.
 */
export function IsMailedToken(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: String, maxLength: MAX_LENGTH, description: 'From behind `#token=` in the link' }),
    IsString(),
    MaxLength(MAX_LENGTH),
  )
}

/** A body with nothing else. */
export class MailedLinkBody {
  @IsMailedToken()
  token!: string
}

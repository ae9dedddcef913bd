import { applyDecorators } from '@nestjs/common'
import { ApiProperty } from '@nestjs/swagger'
import { registerDecorator, ValidateIf } from 'class-validator'
import { UNSTORABLE } from '../platform/http/validation.js'

const MAX_LENGTH = 100

/** Names appear in mails and lists beside those of other people. */
const FORBIDDEN_CHARACTERS = new RegExp(`[${UNSTORABLE}]`, 'u')
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Whether text can be the name of a person or an account: 1 to 100 characters, no leading or trailing spaces. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_LENGTH &&
    value === value.trim() &&
    VISIBLE.test(value) &&
    !FORBIDDEN_CHARACTERS.test(value)
  )
}

/** For body fields: what {@link isName} accepts. A field that is not required may be omitted, but not null. */
export function IsName({ required }: { required: boolean }): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: String, required, minLength: 1, maxLength: MAX_LENGTH }),
    ValidateIf((_, value) => required || value !== undefined),
    validated(),
  )
}

function validated(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isName',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: isName,
        defaultMessage: () =>
          `${String(propertyName)} must be one line of 1 to ${MAX_LENGTH} characters without spaces around`,
      },
    })
}

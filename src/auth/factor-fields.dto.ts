import { IsString, MaxLength, registerDecorator } from 'class-validator'
import { field } from '../platform/http/fields.js'

/** Six digits, with the spaces that apps show. A recovery code has 16 characters, and separators between them. */
export const MAX_CODE_LENGTH = 32

/** A code of an authenticator app. */
export const AppCode = () => codeField('Of the authenticator app', '123456')

export const RecoveryCode = () => codeField('Works once', '7K3M-9XQ2-VB4N-H8TE')

const codeField = (description: string, example: string) =>
  field(
    { type: String, maxLength: MAX_CODE_LENGTH },
    { optional: true, example, description },
    IsString(),
    MaxLength(MAX_CODE_LENGTH),
  )

/**
 * Refuses a body without exactly one of these fields. For a field whose other rules run even if it is left out.
 */
export function IsOnlyOneOf(...fields: readonly string[]): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isOnlyOneOf',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (_, context) => {
          const body = context?.object as Readonly<Record<string, unknown>>
          return fields.filter(field => body[field] !== undefined).length === 1
        },
        defaultMessage: () => `exactly one of ${fields.join(', ')} is required`,
      },
    })
}

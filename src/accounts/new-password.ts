import { registerDecorator } from 'class-validator'
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  normalizedPassword,
  passwordLength,
} from './password-text.js'

/**
 * For body fields: a password that somebody sets. Its length is looked at here (`INVALID_BODY`); whether it is easy to guess
 * is for {@link PasswordPolicy}.
 */
export function IsNewPassword(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isNewPassword',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isLongEnough(value),
        defaultMessage: () =>
          `${String(propertyName)} must be text of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
      },
    })
}

/** Characters count as they are hashed, so that eight typed ones which become four are four. */
function isLongEnough(text: string): boolean {
  if (text.length > 2 * MAX_PASSWORD_LENGTH || passwordLength(text) > MAX_PASSWORD_LENGTH) return false
  return passwordLength(normalizedPassword(text)) >= MIN_PASSWORD_LENGTH
}

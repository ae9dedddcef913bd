import { registerDecorator } from 'class-validator'
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  normalizedPassword,
  passwordLength,
} from './password-text.js'

/**
 * For body fields: a password that is being set. Checks only its length (`INVALID_BODY`);
 * {@link PasswordPolicy} checks its strength.
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

/** Counts characters after normalisation, so eight typed ones that become four count as four. */
function isLongEnough(text: string): boolean {
  if (text.length > 2 * MAX_PASSWORD_LENGTH || passwordLength(text) > MAX_PASSWORD_LENGTH) return false
  return passwordLength(normalizedPassword(text)) >= MIN_PASSWORD_LENGTH
}

import { registerDecorator } from 'class-validator'

/**
 * ASVS 6.2.1, applies when a password is set. At login any length is accepted; otherwise raising the minimum
 * would lock people out.
 */
export const MIN_PASSWORD_LENGTH = 8
/** Refused before hashing, never truncated (ASVS 6.2.8-9). In code points. */
export const MAX_PASSWORD_LENGTH = 1_024

/**
 * The password in the form that is hashed: NFKC, so that the same keys typed on two systems agree (NIST
 * 800-63B-4 §3.1.1.2). Every character counts, including spaces and case.
 */
export function normalizedPassword(text: string): string {
  return text.normalize('NFKC')
}

/** The number of code points; 0 for text that is not valid Unicode, which a password may not contain. */
export function passwordLength(text: string): number {
  return /\p{Surrogate}/u.test(text) ? 0 : [...text].length
}

/** For body fields: a password of any length that could have been set. */
export function IsPassword(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isPassword',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isAcceptable(value),
        defaultMessage: () =>
          `${String(propertyName)} must be text of 1 to ${MAX_PASSWORD_LENGTH} characters`,
      },
    })
}

function isAcceptable(text: string): boolean {
  const length = text.length > 2 * MAX_PASSWORD_LENGTH ? 0 : passwordLength(text)
  return length > 0 && length <= MAX_PASSWORD_LENGTH
}

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

/** Counts characters after normalisation, so eight typed characters that normalise to four count as four. */
function isLongEnough(text: string): boolean {
  if (text.length > 2 * MAX_PASSWORD_LENGTH || passwordLength(text) > MAX_PASSWORD_LENGTH) return false
  return passwordLength(normalizedPassword(text)) >= MIN_PASSWORD_LENGTH
}

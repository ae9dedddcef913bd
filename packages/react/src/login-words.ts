import { type ErrorCode, type LogoutCause, MainstayError } from '@mainstay-auth/client'

/** Every text of the login form, so that it can be translated. */
export interface LoginWords {
  readonly email: string
  readonly password: string
  readonly logIn: string
  /** The second step. */
  readonly code: string
  readonly recoveryCode: string
  readonly useRecoveryCode: string
  readonly useCode: string
  readonly usePasskey: string
  readonly goOn: string
  readonly startAgain: string
  /** When nothing answers. */
  readonly noAnswer: string
  /** For every refusal without a text of its own. */
  readonly refused: string
  /** Above the form: why the user has to log in again. */
  readonly causes: Partial<Record<LogoutCause, string>>
  /** By the code of the refusal. */
  readonly errors: Partial<Record<ErrorCode | 'UNKNOWN', string>>
}

export const ENGLISH: LoginWords = {
  email: 'E-mail',
  password: 'Password',
  logIn: 'Log in',
  code: 'Code from your authenticator app',
  recoveryCode: 'Recovery code',
  useRecoveryCode: 'Use a recovery code',
  useCode: 'Use a code from the app',
  usePasskey: 'Use a passkey',
  goOn: 'Continue',
  startAgain: 'Start again',
  noAnswer: 'No response. Please try again.',
  refused: 'That did not work. Please try again.',
  causes: {
    logoutElsewhere: 'You have logged out in another tab.',
    revoked: 'Your session was ended from elsewhere, such as another device.',
    expired: 'Your session has expired.',
    idle: 'You were logged out because you had not been active for a while.',
    ended: 'Your session has ended.',
  },
  errors: {
    INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
    TOO_MANY_ATTEMPTS: 'Too many tries. Please wait a while.',
    SECOND_FACTOR_INVALID: 'This code is wrong, or has been used already.',
    PASSKEY_INVALID: 'This passkey does not work here.',
    CHALLENGE_EXPIRED: 'This took too long. Please log in again.',
    HANDOFF_REQUIRED: 'Please log in on the main site.',
    OWNER_LOGIN_BARRED: 'Owners log in on the main site.',
    UNKNOWN: 'The service cannot answer now. Please try again.',
  },
}

/** The given texts, with the English ones for those that are missing. */
export function withEnglish(own: Partial<LoginWords> = {}): LoginWords {
  const { causes, errors } = ENGLISH
  return { ...ENGLISH, ...own, causes: { ...causes, ...own.causes }, errors: { ...errors, ...own.errors } }
}

/** A sentence for whatever a login has thrown; null when the person cancelled. */
export function sentenceFor(error: unknown, words: LoginWords): string | null {
  if (error instanceof MainstayError) return words.errors[error.code] ?? words.refused
  // The errors with which browsers report a cancelled passkey.
  const wasCancelled = ['NotAllowedError', 'AbortError'].includes((error as Error).name)
  return wasCancelled ? null : words.noAnswer
}

// What every login form of a page needs, whatever draws it: how the site looks, and its texts.
import type { HandOffRefusal } from './handoff.js'
import type { ErrorCode, MainstayError } from './mainstay-error.js'
import type { LogoutCause } from './session-state.js'

export { type Site, siteOf } from './site.js'

/** Every text of a login form, so that it can be translated. `{site}` stands for the name of a site. */
export interface LoginWords {
  /** The heading; without the name until it is known. */
  readonly title: string
  readonly titleOf: string
  /** The button that leaves for the main site; without its name until that is known. */
  readonly continueOnMain: string
  readonly continueWith: string
  /** Between that button and the fields. */
  readonly orPassword: string
  readonly email: string
  readonly password: string
  /** The button in the field of the password. */
  readonly show: string
  readonly hide: string
  readonly forgot: string
  readonly signUp: string
  readonly logIn: string
  readonly logOut: string
  /** The heading of the second step. */
  readonly secondStep: string
  readonly code: string
  readonly recoveryCode: string
  readonly useRecoveryCode: string
  readonly useCode: string
  readonly usePasskey: string
  readonly goOn: string
  readonly startAgain: string
  readonly oneMoment: string
  /** When nothing answers. */
  readonly noAnswer: string
  /** For every refusal without a text of its own. */
  readonly refused: string
  /** Where the browser does not let the page store what a login needs. */
  readonly storageBlocked: string
  /** Where it keeps the session no longer than the page. */
  readonly storageTemporary: string
  /** Above the form: why the user has to log in again. */
  readonly causes: Partial<Record<LogoutCause, string>>
  /** Why nobody is logged in although they come back from the main site. */
  readonly handOff: Record<HandOffRefusal, string>
  /** By the code of the refusal. */
  readonly errors: Partial<Record<ErrorCode | 'UNKNOWN', string>>
}

export const ENGLISH: LoginWords = {
  title: 'Log in',
  titleOf: 'Log in to {site}',
  continueOnMain: 'Continue on the main site',
  continueWith: 'Continue with {site}',
  orPassword: 'or with your password',
  email: 'E-mail',
  password: 'Password',
  show: 'Show',
  hide: 'Hide',
  forgot: 'Forgot password?',
  signUp: 'Create an account',
  logIn: 'Log in',
  logOut: 'Log out',
  secondStep: 'Enter your code',
  code: 'Code from your authenticator app',
  recoveryCode: 'Recovery code',
  useRecoveryCode: 'Use a recovery code',
  useCode: 'Use a code from the app',
  usePasskey: 'Use a passkey',
  goOn: 'Continue',
  startAgain: 'Start again',
  oneMoment: 'One moment …',
  noAnswer: 'No response. Please try again.',
  refused: 'That did not work. Please try again.',
  storageBlocked:
    'Your browser does not let this site store anything. Please allow cookies and site data for it, then try again.',
  storageTemporary:
    'Your browser does not let this site store anything, so you will have to log in again after a reload.',
  causes: {
    logoutElsewhere: 'You have logged out in another tab.',
    revoked: 'Your session was ended from elsewhere, such as another device.',
    expired: 'Your session has expired.',
    idle: 'You were logged out because you had not been active for a while.',
    ended: 'Your session has ended.',
  },
  handOff: {
    login_required: 'You have not logged in there.',
    access_denied: 'You have not logged in there, or this site accepts passwords only.',
    not_invited: 'Your account is not invited to this site.',
    suspended: 'This site is suspended at the moment.',
    interrupted: 'This login was interrupted. Please try again.',
    expired: 'This took too long. Please try again.',
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

export const GERMAN: LoginWords = {
  title: 'Anmelden',
  titleOf: 'Anmelden bei {site}',
  continueOnMain: 'Weiter auf der Hauptseite',
  continueWith: 'Weiter mit {site}',
  orPassword: 'oder mit Ihrem Passwort',
  email: 'E-Mail',
  password: 'Passwort',
  show: 'Anzeigen',
  hide: 'Verbergen',
  forgot: 'Passwort vergessen?',
  signUp: 'Konto anlegen',
  logIn: 'Anmelden',
  logOut: 'Abmelden',
  secondStep: 'Code eingeben',
  code: 'Code aus Ihrer Authenticator-App',
  recoveryCode: 'Wiederherstellungscode',
  useRecoveryCode: 'Wiederherstellungscode verwenden',
  useCode: 'Code aus der App verwenden',
  usePasskey: 'Passkey verwenden',
  goOn: 'Weiter',
  startAgain: 'Von vorn beginnen',
  oneMoment: 'Einen Moment …',
  noAnswer: 'Keine Antwort. Bitte versuchen Sie es noch einmal.',
  refused: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  storageBlocked:
    'Ihr Browser lässt diese Website nichts speichern. Bitte erlauben Sie ihr Cookies und Websitedaten, und versuchen Sie es noch einmal.',
  storageTemporary:
    'Ihr Browser lässt diese Website nichts speichern: Nach dem Neuladen müssen Sie sich wieder anmelden.',
  causes: {
    logoutElsewhere: 'Sie haben sich in einem anderen Tab abgemeldet.',
    revoked: 'Ihre Sitzung wurde anderswo beendet, zum Beispiel auf einem anderen Gerät.',
    expired: 'Ihre Sitzung ist abgelaufen.',
    ended: 'Ihre Sitzung ist beendet.',
  },
  handOff: {
    login_required: 'Sie haben sich dort nicht angemeldet.',
    access_denied: 'Sie haben sich dort nicht angemeldet, oder diese Website nimmt nur Passwörter an.',
    not_invited: 'Ihr Konto ist nicht zu dieser Website eingeladen.',
    suspended: 'Diese Website ist zurzeit gesperrt.',
    interrupted: 'Diese Anmeldung wurde unterbrochen. Bitte versuchen Sie es noch einmal.',
    expired: 'Das hat zu lange gedauert. Bitte versuchen Sie es noch einmal.',
  },
  errors: {
    INVALID_CREDENTIALS: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    TOO_MANY_ATTEMPTS: 'Zu viele Versuche. Bitte warten Sie eine Weile.',
    SECOND_FACTOR_INVALID: 'Dieser Code ist falsch oder wurde schon verwendet.',
    PASSKEY_INVALID: 'Dieser Passkey funktioniert hier nicht.',
    CHALLENGE_EXPIRED: 'Das hat zu lange gedauert. Bitte melden Sie sich noch einmal an.',
    HANDOFF_REQUIRED: 'Bitte melden Sie sich auf der Hauptseite an.',
    OWNER_LOGIN_BARRED: 'Inhaber melden sich auf der Hauptseite an.',
    UNKNOWN: 'Der Dienst kann gerade nicht antworten. Bitte versuchen Sie es noch einmal.',
  },
}

/** The given texts, with the English ones for those that are missing. */
export function withEnglish(own: Partial<LoginWords> = {}): LoginWords {
  const { causes, handOff, errors } = ENGLISH
  return {
    ...ENGLISH,
    ...own,
    causes: { ...causes, ...own.causes },
    handOff: { ...handOff, ...own.handOff },
    errors: { ...errors, ...own.errors },
  }
}

/** A text with the name of a site in it. */
export function withSite(text: string, name: string): string {
  return text.replace('{site}', () => name)
}

/** A sentence for whatever a login has thrown; null when the person cancelled. */
export function sentenceFor(error: unknown, words: LoginWords): string | null {
  const { name = '', code } = error as { readonly name?: string; readonly code?: MainstayError['code'] }
  // Not by its class: a page may have the client twice, as in the file of <mainstay-login>.
  if (name === 'MainstayError') return (code && words.errors[code]) ?? words.refused
  // The errors with which browsers report a cancelled passkey.
  if (['NotAllowedError', 'AbortError'].includes(name)) return null
  // Those with which they report storage that is blocked or full.
  const isOfStorage = ['SecurityError', 'QuotaExceededError'].includes(name)
  return isOfStorage ? words.storageBlocked : words.noAnswer
}

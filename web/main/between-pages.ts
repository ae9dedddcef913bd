// What one public page leaves for the next: an address, a pending sign-up, and where a login leads.

/** The e-mail address typed last, so that it need not be typed again on the next of these pages. Never stored. */
let typed = ''

export function rememberEmail(email: string): void {
  typed = email
}

export function typedEmail(): string {
  return typed
}

/**
 * Signing up involves a mailed link, which opens another tab, mostly of this browser: what that tab need not
 * ask again.
 */
interface PendingSignup {
  readonly email: string
  /** Where they wanted to go: a path on this site. */
  readonly next: string
  /** In the form of `Date.now()`. */
  readonly until: number
}

const KEY = 'mainstay.signup'
/** As long as the link in the mail is valid. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

export function rememberSignup(email: string, next: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ email, next, until: Date.now() + LIFETIME_MS }))
  } catch {
    // A browser that stores nothing: they log in once more.
  }
}

/** What was remembered; null when there is nothing. */
export function pendingSignup(): PendingSignup | null {
  try {
    const pending = JSON.parse(localStorage.getItem(KEY) ?? 'null') as PendingSignup | null
    return pending && pending.until > Date.now() ? pending : null
  } catch {
    return null
  }
}

/** Call it when they are logged in. */
export function forgetSignup(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // A browser that stores nothing.
  }
}

// `next` is untrusted: only paths of this site that require a login are allowed.

const LOGINS = /^\/(subscribe|account(\/[\w-]+)*\/?)([?#]|$)|^\/handoff#/

/** Whether this path of the site, with its query and hash, is one where people log in and stay. */
export function isLogin(next: string): boolean {
  return LOGINS.test(next)
}

/** Where signing up leads: to the payment page, as it was asked for, or to the overview. */
export function afterSignup(next: string | null): string {
  return next?.startsWith('/subscribe') && isLogin(next) ? next : '/account'
}

// What one public page leaves for the next: an address, and where a login leads.

/** The e-mail address typed last, so that it need not be typed again on the next of these pages. Never stored. */
let typed = ''

export function rememberEmail(email: string): void {
  typed = email
}

export function typedEmail(): string {
  return typed
}

/**
 * Signing up and choosing a new password involve a mailed link, which opens another tab, mostly of this browser: where
 * the person was going, so that they get there. By kind; in seconds, as long as the link in the mail is valid.
 */
const LIFETIMES = { signup: 24 * 60 * 60, reset: 30 * 60 }
type Errand = keyof typeof LIFETIMES

export function rememberErrand(kind: Errand, next: string): void {
  try {
    const until = Date.now() + LIFETIMES[kind] * 1000
    localStorage.setItem(keyOf(kind), JSON.stringify({ next, until }))
  } catch {
    // A browser that stores nothing: it leads to the overview.
  }
}

/** Where the person was going: a path on this site; null when that is not known. It is forgotten then. */
export function takeErrand(kind: Errand): string | null {
  try {
    const errand = JSON.parse(localStorage.getItem(keyOf(kind)) ?? 'null')
    localStorage.removeItem(keyOf(kind))
    return errand?.until > Date.now() && isLogin(errand.next) ? errand.next : null
  } catch {
    return null
  }
}

function keyOf(kind: Errand): string {
  return `mainstay.${kind}`
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

/** Who signs up follows a mail, in another tab of mostly this browser: what that tab need not ask again. */
interface PendingSignup {
  readonly email: string
  /** Where they wanted to go: a path of this site. */
  readonly next: string
  /** As `Date.now()`. */
  readonly until: number
}

const KEY = 'mainstay.signup'
/** As long as the link in the mail is good. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

export function rememberSignup(email: string, next: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ email, next, until: Date.now() + LIFETIME_MS }))
  } catch {
    // A browser that keeps nothing: they log in once more.
  }
}

/** What was remembered, once; null when there is nothing. */
export function takeSignup(): PendingSignup | null {
  try {
    const pending = JSON.parse(localStorage.getItem(KEY) ?? 'null') as PendingSignup | null
    localStorage.removeItem(KEY)
    return pending && pending.until > Date.now() ? pending : null
  } catch {
    return null
  }
}

/** Where a `next` of the address may lead: to the page for payments with what it was called with, or to the overview. */
export function safeNext(next: string | null): string {
  return next && /^\/subscribe(\?|$)/.test(next) ? next : '/account'
}

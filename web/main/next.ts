// Anybody may have written the `next` in an address: it leads only where a login of this site stands.

const LOGINS = /^\/(subscribe|account(\/[\w-]+)*\/?)([?#]|$)|^\/handoff#/

/** Whether this path of the site, with its query and hash, is one where people log in and stay. */
export function isLogin(next: string): boolean {
  return LOGINS.test(next)
}

/** Where signing up leads: to the payment page, as it was asked for, or to the overview. */
export function afterSignup(next: string | null): string {
  return next?.startsWith('/subscribe') && isLogin(next) ? next : '/account'
}

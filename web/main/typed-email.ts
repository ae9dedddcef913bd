/** The e-mail address typed last, so that nobody has to type it again on the next of these pages. Never stored. */
let typed = ''

export function rememberEmail(email: string): void {
  typed = email
}

export function typedEmail(): string {
  return typed
}

/** What was last typed as one's e-mail address, so that nobody types it again on the next of these pages. Never stored. */
let typed = ''

export function rememberEmail(email: string): void {
  typed = email
}

export function typedEmail(): string {
  return typed
}

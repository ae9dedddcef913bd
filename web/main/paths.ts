/** Whether the page at this path requires a login. */
export function needsSession(path: string): boolean {
  return ['/', '/login', '/subscribe'].includes(path) || /^\/account(\/|$)/.test(path)
}

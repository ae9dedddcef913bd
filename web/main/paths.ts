/** Whether the page at this path is for whoever is logged in. */
export function needsSession(path: string): boolean {
  return ['/', '/login', '/subscribe'].includes(path) || /^\/account(\/|$)/.test(path)
}

import { mainClient } from '@mainstay-auth/client'
import { site } from '../pieces/site.js'
import { fetchInLanguage } from '../pieces/t.js'

export const client = mainClient({ baseUrl: site.apiUrl, fetch: fetchInLanguage })

/** Whether the page at this path requires a login. */
export function needsSession(path: string): boolean {
  return ['/', '/login', '/subscribe'].includes(path) || /^\/account(\/|$)/.test(path)
}

import { mainClient } from '@mainstay-auth/client'
import { fetchInLanguage } from '../pieces/language/fetch-in-language.js'
import { site } from '../pieces/site/site.js'

export const client = mainClient({ baseUrl: site.apiUrl, fetch: fetchInLanguage })

/** Whether the page at this path requires a login. */
export function needsSession(path: string): boolean {
  return ['/', '/login', '/subscribe'].includes(path) || /^\/account(\/|$)/.test(path)
}

import type { Client } from '@mainstay-auth/client'
import { t } from '../language/t.js'
import { useLoad } from '../loading/use-load.js'
import { toast } from '../notices/toasts.js'
import type { Session, SiteSessions } from './session-list.js'

/** The sessions of the user who is logged in, and how to end one. */
export function useOwnSessions(
  call: <T>(method: 'GET' | 'DELETE', path: string) => Promise<T>,
  client: Client,
) {
  const sessions = useLoad(() => call<{ sites: SiteSessions[] }>('GET', 'sessions'))
  const end = async ({ sid, current }: Session) => {
    if (current) return client.logout()
    await call('DELETE', `sessions/${sid}`)
    await sessions.reload()
    toast(t('session.ended'))
  }
  return { sessions, end }
}

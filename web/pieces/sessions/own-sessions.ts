import type { Client } from '@mainstay-auth/client'
import { useState } from 'react'
import { useLoad } from '../use-load.js'
import { leave } from './leaving.js'
import type { Session, SiteSessions } from './session-list.js'

/** The sessions of the user who is logged in, how to end one, and what to tell them about it. */
export function useOwnSessions(
  call: <T>(method: 'GET' | 'DELETE', path: string) => Promise<T>,
  client: Client,
) {
  const sessions = useLoad(() => call<{ sites: SiteSessions[] }>('GET', 'sessions'))
  const [news, setNews] = useState('')
  const end = async ({ sid, current }: Session) => {
    if (current) return leave(client)
    await call('DELETE', `sessions/${sid}`)
    await sessions.reload()
    setNews('The session has ended.')
  }
  return { sessions, end, news, setNews }
}

import type { Storage } from './storage.js'

export interface Presented {
  /** Null where only the service can see which one it is. */
  readonly sid: string | null
  readonly headers: Record<string, string>
}

/** Where the long-lived session is: the one thing in which main site and satellites differ. */
export interface SessionHome {
  readonly source: 'main' | 'satellite'
  readonly credentials: NonNullable<RequestInit['credentials']>
  /** The session as it is presented at refresh; null when there is none. */
  presented(): Promise<Presented | null>
  keep(sessionId: string | undefined, sid: string): Promise<void>
  /** Forgets this session, but not one that another tab has put in its place. */
  forget(sid: string): Promise<void>
  /** Whether a token of this session may be taken over from another tab. */
  isOwn(sid: string): Promise<boolean>
}

/** The HttpOnly cookie: no script ever sees it, and all tabs share it. */
export const cookieHome: SessionHome = {
  source: 'main',
  credentials: 'include',
  presented: async () => ({ sid: null, headers: {} }),
  keep: async () => {},
  forget: async () => {},
  isOwn: async () => true,
}

/**
 * A storage of the page or the app. The public handle stands beside the secret: tabs with storages of their own
 * (sessionStorage) may be logged in as different people, and must not take each other's tokens.
 */
export function storageHome(storage: Storage, key: string): SessionHome {
  const read = async () => {
    const [sessionId, sid] = ((await storage.get(key)) ?? '').split(' ')
    return sessionId && sid ? { sessionId, sid } : null
  }
  return {
    source: 'satellite',
    credentials: 'omit',
    presented: async () => {
      const kept = await read()
      return kept && { sid: kept.sid, headers: { 'X-Session-ID': kept.sessionId } }
    },
    keep: async (sessionId, sid) => void (await storage.set(key, `${sessionId} ${sid}`)),
    forget: async sid => {
      if ((await read())?.sid === sid) await storage.remove(key)
    },
    isOwn: async sid => (await read())?.sid === sid,
  }
}

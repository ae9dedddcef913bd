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
  /**
   * What tells this device from others of its kind, after a logout too; null when there is none yet,
   * undefined where a cookie does it.
   */
  deviceId(): Promise<string | null | undefined>
  /** `deviceId` where it is a new one. */
  keep(sessionId: string | undefined, sid: string, deviceId: string | undefined): Promise<void>
  /** Forgets this session, but not one that another tab has put in its place. */
  forget(sid: string): Promise<void>
  /** Whether a token of this session may be taken over from another tab. */
  isOwn(sid: string): Promise<boolean>
  /**
   * Notes that the session is to be ended, until `settle` or the next login; false when there is nothing to
   * note it by.
   */
  leave(sid: string | null): Promise<boolean>
  /** The session that is to be ended, and the service may not know it yet; null when there is none. */
  left(): Promise<Presented | null>
  /** The service knows; null for a session that only it could name. `isOver`: it has known before. */
  settle(sid: string | null, isOver: boolean): Promise<void>
  /** Whether the session that is still presented was ended here, so that nobody has to be told. */
  isSettled(): Promise<boolean>
}

/** What stands for the session where only the service knows which one it is. */
const UNNAMED = '*'
/** In place of a session to be ended: that of the cookie is over. */
const SETTLED = '-'

/**
 * The HttpOnly cookie: no script ever sees it, and all tabs share it. Only a logout leaves its note in the
 * storage.
 */
export function cookieHome(storage: Storage, key: string): SessionHome {
  return {
    source: 'main',
    credentials: 'include',
    presented: async () => ({ sid: null, headers: {} }),
    deviceId: async () => undefined,
    keep: async () => void (await storage.remove(key)),
    forget: async () => {},
    isOwn: async () => true,
    leave: async sid => {
      await storage.set(key, sid ?? UNNAMED)
      return true
    },
    left: async () => {
      const sid = await storage.get(key)
      return sid && sid !== SETTLED ? { sid: sid === UNNAMED ? null : sid, headers: {} } : null
    },
    settle: async (sid, isOver) => {
      if ((await storage.get(key)) !== (sid ?? UNNAMED)) return
      // Only an answer to a logout takes the cookie.
      await (isOver ? storage.set(key, SETTLED) : storage.remove(key))
    },
    isSettled: async () => (await storage.get(key)) === SETTLED,
  }
}

/** Behind the session that is to be ended. */
const LEFT = ' left'

/**
 * A storage of the page or the app. The public handle stands beside the secret: tabs with storages of their
 * own (sessionStorage) may be logged in as different people, and must not take each other's tokens.
 */
export function storageHome(storage: Storage, key: string): SessionHome {
  const deviceKey = `${key}.device`
  const read = async (isLeft = false) => {
    const text = (await storage.get(key)) ?? ''
    const [sessionId, sid] = text.split(' ')
    return sessionId && sid && text.endsWith(LEFT) === isLeft
      ? { sid, headers: { 'X-Session-ID': sessionId }, text }
      : null
  }
  return {
    source: 'satellite',
    credentials: 'omit',
    presented: () => read(),
    deviceId: async () => (await storage.get(deviceKey)) || null,
    keep: async (sessionId, sid, deviceId) => {
      await storage.set(key, `${sessionId} ${sid}`)
      if (deviceId) await storage.set(deviceKey, deviceId)
    },
    forget: async sid => {
      if ((await read())?.sid === sid) await storage.remove(key)
    },
    isOwn: async sid => (await read())?.sid === sid,
    leave: async sid => {
      const kept = await read()
      if (kept?.sid !== sid) return false
      await storage.set(key, kept.text + LEFT)
      return true
    },
    left: () => read(true),
    settle: async sid => {
      if ((await read(true))?.sid === sid) await storage.remove(key)
    },
    isSettled: async () => false,
  }
}

/** Where a satellite or an app keeps its session between visits. In an app, use the system's secure storage. */
export interface Storage {
  get(key: string): string | null | undefined | Promise<string | null | undefined>
  set(key: string, value: string): unknown
  remove(key: string): unknown
  /** Whether it keeps nothing for longer than the page or the app runs; false where that is not known. */
  isTemporary?(): boolean
}

/** What localStorage, sessionStorage and React Native's AsyncStorage have in common. */
export interface ItemStorage {
  getItem(key: string): ReturnType<Storage['get']>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/**
 * `localStorage` and the like as a {@link Storage}. `itemStorage(() => localStorage)` looks for it only when
 * it is used, so that a program without one (a server that renders pages, a build) can run the same code.
 * Where there is none, or it is blocked, unreadable or full, the session lasts as long as the page, and `isTemporary` says so.
 */
export function itemStorage(items: ItemStorage | (() => ItemStorage)): Storage {
  let found = typeof items === 'function' ? null : items
  let isTemporary = false
  const attempt = <T>(key: string, work: (items: ItemStorage) => T): T => {
    try {
      // Null in some programs, which then fails here.
      found ??= (items as () => ItemStorage)()
      return work(found)
    } catch {
      try {
        // Not even after a reload may an older session take the place of one in memory.
        found?.removeItem(key)
      } catch {}
      found = inMemory()
      isTemporary = true
      return work(found)
    }
  }
  return {
    get: key => attempt(key, kept => kept.getItem(key)),
    set: (key, value) => attempt(key, kept => kept.setItem(key, value)),
    remove: key => attempt(key, kept => kept.removeItem(key)),
    isTemporary: () => isTemporary,
  }
}

function inMemory(): ItemStorage {
  const items = new Map<string, string>()
  return {
    getItem: key => items.get(key),
    setItem: (key, value) => items.set(key, value),
    removeItem: key => items.delete(key),
  }
}

export interface Presented {
  /** Null where only the service can tell which session it is. */
  readonly sid: string | null
  readonly headers: Record<string, string>
}

/** Where the long-lived session is kept: the one difference between the main site and satellites. */
export interface SessionHome {
  readonly source: 'main' | 'satellite'
  readonly credentials: NonNullable<RequestInit['credentials']>
  /** Whether the session is kept no longer than the page. */
  isTemporary(): boolean
  /** The session as presented at refresh; null when there is none. */
  presented(): Promise<Presented | null>
  /**
   * Distinguishes this device from others like it, even after a logout; null when there is none yet,
   * undefined where a cookie does it.
   */
  deviceId(): Promise<string | null | undefined>
  /** `deviceId` only when it is new. */
  keep(sessionId: string | undefined, sid: string, deviceId: string | undefined): Promise<void>
  /**
   * Forgets this session, but not one that another tab has put in its place; `sid` is null for one that only
   * the service could name. `isTold`: the service has just said here that it is over, which is news only once.
   */
  forget(sid: string | null, isTold?: boolean): Promise<void>
  /** Whether a token of this session may be taken over from another tab: not while one is to be ended here. */
  isOwn(sid: string): Promise<boolean>
  /** Notes that the session is to be ended, until `settle` or the next login. */
  leave(sid: string | null): Promise<void>
  /** The session to be ended that the service may not know about yet; null when there is none. */
  left(): Promise<Presented | null>
  /**
   * The service knows; `sid` is null for a session that only the service could name. `isOver`: the service
   * had already ended it.
   */
  settle(sid: string | null, isOver: boolean): Promise<void>
  /** Whether the end of the session that is still presented is no news: it was ended here, or the page said so. */
  isSettled(): Promise<boolean>
}

/** Stands for a session that only the service can identify. */
const UNNAMED = '*'
/** In place of a session to be ended: the cookie's session is over. */
const SETTLED = ''

/** The HttpOnly cookie: no script ever sees it, and all tabs share it. Storage only holds the note of a logout. */
export function cookieHome(storage: Storage, key: string): SessionHome {
  return {
    source: 'main',
    credentials: 'include',
    isTemporary: () => false,
    presented: async () => ({ sid: null, headers: {} }),
    deviceId: async () => undefined,
    keep: async () => void (await storage.remove(key)),
    // Not the cookie: a late answer about it must not clear that of the next login.
    forget: async (_, isTold) => {
      if (isTold && !(await storage.get(key))) await storage.set(key, SETTLED)
    },
    isOwn: async () => !(await storage.get(key)),
    leave: async sid => void (await storage.set(key, sid ?? UNNAMED)),
    left: async () => {
      const sid = await storage.get(key)
      return sid ? { sid: sid === UNNAMED ? null : sid, headers: {} } : null
    },
    settle: async (sid, isOver) => {
      if ((await storage.get(key)) !== (sid ?? UNNAMED)) return
      // Only the response to a logout clears the cookie.
      await (isOver ? storage.set(key, SETTLED) : storage.remove(key))
    },
    isSettled: async () => (await storage.get(key)) === SETTLED,
  }
}

/** Appended to the session that is to be ended. */
const LEFT = ' left'

/**
 * Storage of the page or the app. The public handle is stored beside the secret: tabs with storage of their
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
    isTemporary: () => storage.isTemporary?.() ?? false,
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
      if (kept?.sid === sid) await storage.set(key, kept.text + LEFT)
    },
    left: () => read(true),
    settle: async sid => {
      if ((await read(true))?.sid === sid) await storage.remove(key)
    },
    isSettled: async () => false,
  }
}

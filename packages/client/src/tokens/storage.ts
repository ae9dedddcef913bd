/** Where a satellite or an app keeps its session between visits. In an app, use the system's secure storage. */
export interface Storage {
  get(key: string): string | null | undefined | Promise<string | null | undefined>
  set(key: string, value: string): unknown
  remove(key: string): unknown
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
 * Where there is none, or it is blocked, unreadable or full, the session lasts as long as the page.
 */
export function itemStorage(items: ItemStorage | (() => ItemStorage)): Storage {
  let found = typeof items === 'function' ? null : items
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
      return work(found)
    }
  }
  return {
    get: key => attempt(key, kept => kept.getItem(key)),
    set: (key, value) => attempt(key, kept => kept.setItem(key, value)),
    remove: key => attempt(key, kept => kept.removeItem(key)),
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

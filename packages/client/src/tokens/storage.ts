/** Where a satellite or an app keeps its session between visits. In an app, use the system's secure storage. */
export interface Storage {
  get(key: string): string | null | undefined | Promise<string | null | undefined>
  set(key: string, value: string): unknown
  remove(key: string): unknown
}

/** What localStorage, sessionStorage and React Native's AsyncStorage have in common. */
export interface ItemStorage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/**
 * `localStorage` and the like as a {@link Storage}. `itemStorage(() => localStorage)` looks for it only when
 * it is used, so that a program without one (a server that renders pages, a build) can run the same code.
 * Where there is none, or it is blocked or full, the session lasts as long as the page.
 */
export function itemStorage(items: ItemStorage | (() => ItemStorage)): Storage {
  let found = typeof items === 'function' ? null : items
  const resolve = () => {
    try {
      found ??= (items as () => ItemStorage)() ?? inMemory()
    } catch {
      found = inMemory()
    }
    return found
  }
  const remove = (key: string) => {
    try {
      return resolve().removeItem(key)
    } catch {
      found = inMemory()
    }
  }
  return {
    get: key => resolve().getItem(key),
    set: (key, value) => {
      try {
        return resolve().setItem(key, value)
      } catch {
        // Not even after a reload may an older session take its place.
        remove(key)
        found = inMemory()
        return found.setItem(key, value)
      }
    },
    remove,
  }
}

function inMemory(): ItemStorage {
  const items = new Map<string, string>()
  return {
    getItem: key => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: key => items.delete(key),
  }
}

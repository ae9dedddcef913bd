/** Where a satellite or an app keeps its session between visits. In an app, take the system's secure storage. */
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

/** `localStorage` and its likes as a {@link Storage}. */
export function itemStorage(items: ItemStorage): Storage {
  return {
    get: key => items.getItem(key),
    set: (key, value) => items.setItem(key, value),
    remove: key => items.removeItem(key),
  }
}

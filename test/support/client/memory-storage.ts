import type { Storage } from '../../sources.js'

/** What a page or an app keeps between visits; `values` says what lies in it. */
export function memoryStorage(): Storage & { readonly values: string[] } {
  const items = new Map<string, string>()
  return {
    get: async key => items.get(key),
    set: async (key, value) => void items.set(key, value),
    remove: async key => void items.delete(key),
    get values() {
      return [...items.values()]
    },
  }
}

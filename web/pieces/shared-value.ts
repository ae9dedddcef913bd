import { useSyncExternalStore } from 'react'

/** A value outside of the components of a page, which draw it anew when it is set. */
export interface SharedValue<T> {
  read(): T
  set(value: T): void
  useValue(): T
}

export function sharedValue<T>(initial: T): SharedValue<T> {
  let current = initial
  const listeners = new Set<() => void>()
  const read = () => current
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    read,
    set(value) {
      current = value
      for (const listener of listeners) listener()
    },
    useValue: () => useSyncExternalStore(listen, read),
  }
}

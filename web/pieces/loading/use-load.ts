import { useCallback, useEffect, useRef, useState } from 'react'
import { outageIn, retryLater, stopRetrying } from '../sessions/outage.js'

export interface Load<T> {
  readonly data: T | null
  readonly error: unknown
  /** Loads again; the previous data stays visible meanwhile. */
  readonly reload: () => Promise<void>
}

/** Loads what a page shows, when it opens and whenever `key` changes; in an outage, retries until it is there. */
export function useLoad<T>(load: () => Promise<T>, key = ''): Load<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: unknown }>({
    key,
    data: null,
    error: null,
  })
  const latest = useRef({ load, turn: 0 })
  latest.current.load = load
  const reload = useCallback(async () => {
    latest.current.turn += 1
    const { turn } = latest.current
    try {
      const data = await latest.current.load()
      if (turn !== latest.current.turn) return
      stopRetrying(latest)
      setState({ key, data, error: null })
    } catch (error) {
      if (turn !== latest.current.turn) return
      const isOutage = outageIn(error) !== null
      if (isOutage) retryLater(latest, error, reload)
      else stopRetrying(latest)
      // Stale data is better than none.
      setState(before => ({ key, data: isOutage && before.key === key ? before.data : null, error }))
    }
  }, [key])
  useEffect(() => {
    void reload()
    return () => {
      latest.current.turn += 1
      stopRetrying(latest)
    }
  }, [reload])
  return state.key === key ? { ...state, reload } : { data: null, error: null, reload }
}

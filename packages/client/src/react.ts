import { useEffect, useSyncExternalStore } from 'react'
import type { Client } from './client.js'
import { type State, UNKNOWN } from './http/caller.js'

/** Who is logged in, now and whenever that changes. Asks the service when nobody has yet. */
export function useSession(client: Client): State {
  const state = useSyncExternalStore(
    client.onChange,
    () => client.state,
    () => UNKNOWN,
  )
  useEffect(() => {
    // What is neither a login nor a logout is tried again by the client itself.
    if (client.state.status === 'unknown') client.refresh().catch(() => {})
  }, [client])
  return state
}

'use client'
import type { Client, State } from '@mainstay-auth/client'
import { useEffect, useSyncExternalStore } from 'react'
import { useProvidedClient } from './provider.js'

const UNKNOWN: State = { status: 'unknown', caller: null }

/**
 * Who is logged in, now and whenever that changes; asks the service if that is not known yet. `client` is the
 * provider's unless given; throws an Error when there is neither. On a server the state is `unknown`, as in a
 * browser before the first answer.
 */
export function useSession(given?: Client): State {
  const provided = useProvidedClient()
  const client = given ?? provided
  if (!client)
    throw new Error('Give useSession a client, or put <MainstayProvider client={client}> around it')
  const state = useSyncExternalStore(
    client.onChange,
    () => client.state,
    () => UNKNOWN,
  )
  useEffect(() => {
    // Anything that is neither a login nor a logout is retried by the client itself.
    if (client.state.status === 'unknown') client.refresh().catch(() => {})
  }, [client])
  return state
}

'use client'
import type { Client } from '@mainstay-auth/client'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { ProfileStore } from './profile-store.js'

/** What the components below a provider share. */
interface Shared {
  readonly client: Client
  readonly profiles: ProfileStore
}

const SharedContext = createContext<Shared | null>(null)

export interface MainstayProviderProps {
  /** Create it once for the whole site, outside components: `mainClient({ … })` or `satelliteClient({ … })`. */
  readonly client: Client
  readonly children?: ReactNode
}

/** Gives the client to every component and hook below it. */
export function MainstayProvider({ client, children }: MainstayProviderProps): ReactNode {
  const shared = useMemo(() => ({ client, profiles: new ProfileStore(client) }), [client])
  return <SharedContext.Provider value={shared}>{children}</SharedContext.Provider>
}

/** The client of the nearest provider. Throws an Error without one. */
export function useClient(): Client {
  return useShared().client
}

/** Null without a provider. */
export function useProvidedClient(): Client | null {
  return useContext(SharedContext)?.client ?? null
}

export function useShared(): Shared {
  const shared = useContext(SharedContext)
  if (!shared) throw new Error('Put <MainstayProvider client={client}> around this')
  return shared
}

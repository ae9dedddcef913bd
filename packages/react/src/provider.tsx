'use client'
import type { Client, Permissions, State } from '@mainstay-auth/client'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react'
import { HandOffReturn, NONE, type Returned } from './handoff-return.js'
import { ProfileStore } from './profile-store.js'

/** What the components below a provider share. */
interface Shared {
  readonly client: Client
  readonly profiles: ProfileStore
  readonly handOffReturn: HandOffReturn
}

const SharedContext = createContext<Shared | null>(null)

export interface MainstayProviderProps {
  /** Create it once for the whole site, outside components: `mainClient({ … })` or `satelliteClient({ … })`. */
  readonly client: Client
  readonly children?: ReactNode
}

/**
 * Gives the client to every component and hook below it. On a satellite it also completes a login through the main site, on
 * whichever page the browser comes back to.
 */
export function MainstayProvider({ client, children }: MainstayProviderProps): ReactNode {
  const shared = useMemo(
    () => ({ client, profiles: new ProfileStore(client), handOffReturn: new HandOffReturn(client) }),
    [client],
  )
  useEffect(() => void shared.handOffReturn.complete(), [shared])
  return <SharedContext.Provider value={shared}>{children}</SharedContext.Provider>
}

/** The client of the nearest provider. Throws an Error without one. */
export function useClient(): Client {
  return useShared().client
}

/** The hand-off of the nearest provider's client, and what has become of one that the page has come back with. */
export function useHandOffReturn(): { readonly handOffReturn: HandOffReturn; readonly returned: Returned } {
  const { handOffReturn } = useShared()
  const returned = useSyncExternalStore(
    handOffReturn.subscribe,
    () => handOffReturn.current,
    () => NONE,
  )
  return { handOffReturn, returned }
}

/** Null without a provider. */
function useProvidedClient(): Client | null {
  return useContext(SharedContext)?.client ?? null
}

function useShared(): Shared {
  const shared = useContext(SharedContext)
  if (!shared) throw new Error('Put <MainstayProvider client={client}> around this')
  return shared
}

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

/** Who is logged in. */
export interface User {
  readonly id: string
  readonly accountId: string
  /** What they may do here; your backend must check again. */
  readonly permissions: Permissions
  /** Null until loaded. */
  readonly email: string | null
  /** Null until loaded, and when they have not given one. */
  readonly name: string | null
}

export interface UserState {
  /** `unknown` until the service has answered for the first time. */
  readonly status: 'unknown' | 'loggedIn' | 'loggedOut'
  /** Null unless a user is logged in. */
  readonly user: User | null
  /** Requests address and name again, after they have changed. */
  readonly reload: () => Promise<void>
}

/**
 * Who is logged in, with their address and name (`GET /api/profile`, requested once for all components).
 * Needs a provider.
 */
export function useUser(): UserState {
  const { client, profiles } = useShared()
  const { status, caller } = useSession(client)
  const userId = caller?.userId ?? null
  const profile = useSyncExternalStore(
    profiles.subscribe,
    () => profiles.of(userId),
    () => null,
  )
  useEffect(() => {
    if (userId !== null) void profiles.load(userId)
  }, [profiles, userId])
  const reload = useCallback(async () => {
    if (userId !== null) await profiles.load(userId, true)
  }, [profiles, userId])
  if (!caller) return { status, user: null, reload }
  const { accountId, permissions } = caller
  const { email = null, name = null } = profile ?? {}
  return { status, user: { id: caller.userId, accountId, permissions, email, name }, reload }
}

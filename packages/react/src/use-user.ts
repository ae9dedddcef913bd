'use client'
import type { Permissions } from '@mainstay-auth/client'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { useShared } from './provider.js'
import { useSession } from './use-session.js'

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
  /** Null unless somebody is logged in. */
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

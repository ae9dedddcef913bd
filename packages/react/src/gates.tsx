'use client'
import type { Caller, Permissions } from '@mainstay-auth/client'
import type { ReactNode } from 'react'
import { useSession } from './provider.js'

export interface SignedInProps {
  /** Nodes, or a function that receives who is logged in. */
  readonly children?: ReactNode | ((caller: Caller) => ReactNode)
  /** Shown until it is known who is logged in; nothing by default. */
  readonly fallback?: ReactNode
}

/** Content for users who are logged in. Your backend must check again: any visitor can read what is in a page. */
export function SignedIn({ children, fallback = null }: SignedInProps): ReactNode {
  const { status, caller } = useSession()
  if (status === 'unknown') return fallback
  if (!caller) return null
  return typeof children === 'function' ? children(caller) : children
}

export interface SignedOutProps {
  readonly children?: ReactNode
}

/** Content shown once it is known that no user is logged in. */
export function SignedOut({ children }: SignedOutProps): ReactNode {
  return useSession().status === 'loggedOut' ? children : null
}

/** One permission, or several that are all required. */
export type Wanted = keyof Permissions | readonly (keyof Permissions)[]

/**
 * Whether the person who is logged in has the permission; false while that is unknown. For display only: your
 * backend must check again.
 */
export function usePermitted(permission: Wanted): boolean {
  const { caller } = useSession()
  const wanted = typeof permission === 'string' ? [permission] : permission
  return caller !== null && wanted.every(name => caller.permissions[name])
}

export interface PermittedProps {
  readonly permission: Wanted
  readonly children?: ReactNode
  /** For people who are logged in but lack the permission; nothing by default. */
  readonly otherwise?: ReactNode
}

/** Content for people with a permission. Your backend must check again. */
export function Permitted({ permission, children, otherwise = null }: PermittedProps): ReactNode {
  const isPermitted = usePermitted(permission)
  if (!useSession().caller) return null
  return isPermitted ? children : otherwise
}

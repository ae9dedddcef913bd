'use client'
import type { Caller, Permissions } from '@mainstay-auth/client'
import type { ReactNode } from 'react'
import { useHandOffReturn, useSession } from './provider.js'

export interface SignedInProps {
  /** Nodes, or a function that receives who is logged in. */
  readonly children?: ReactNode | ((caller: Caller) => ReactNode)
  /** Shown until it is known who is logged in; nothing by default. */
  readonly fallback?: ReactNode
}

/** Content for users who are logged in. Your backend must check again: any visitor can read what is in a page. */
export function SignedIn({ children, fallback = null }: SignedInProps): ReactNode {
  const { status, caller } = useSession()
  const { returned } = useHandOffReturn()
  if (status === 'unknown' || (!caller && returned.status === 'underWay')) return fallback
  if (!caller) return null
  return typeof children === 'function' ? children(caller) : children
}

export interface SignedOutProps {
  readonly children?: ReactNode
}

/** Content shown once it is known that no user is logged in, nor about to be with an answer of the main site. */
export function SignedOut({ children }: SignedOutProps): ReactNode {
  const { status } = useSession()
  const { returned } = useHandOffReturn()
  return status === 'loggedOut' && returned.status !== 'underWay' ? children : null
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

'use client'
import type { Caller, Permissions } from '@mainstay-auth/client'
import type { ReactNode } from 'react'
import { useSession } from './use-session.js'

export interface SignedInProps {
  /** Nodes, or a function of who is logged in. */
  readonly children?: ReactNode | ((caller: Caller) => ReactNode)
  /** Shown until it is known who is logged in; nothing unless told. */
  readonly fallback?: ReactNode
}

/** What only people who are logged in see. Your backend decides again: what is on a page can be read by anybody. */
export function SignedIn({ children, fallback = null }: SignedInProps): ReactNode {
  const { status, caller } = useSession()
  if (status === 'unknown') return fallback
  if (!caller) return null
  return typeof children === 'function' ? children(caller) : children
}

export interface SignedOutProps {
  readonly children?: ReactNode
}

/** What is shown once it is known that nobody is logged in. */
export function SignedOut({ children }: SignedOutProps): ReactNode {
  return useSession().status === 'loggedOut' ? children : null
}

/** One, or several that all have to be there. */
export type Wanted = keyof Permissions | readonly (keyof Permissions)[]

/** Whether who is logged in may; false while that is unknown. For what is shown: your backend decides again. */
export function usePermitted(permission: Wanted): boolean {
  const { caller } = useSession()
  const wanted = typeof permission === 'string' ? [permission] : permission
  return caller !== null && wanted.every(name => caller.permissions[name])
}

export interface PermittedProps {
  readonly permission: Wanted
  readonly children?: ReactNode
  /** For people who are logged in and may not; nothing unless told. */
  readonly otherwise?: ReactNode
}

/** What only people with a permission see. Your backend decides again. */
export function Permitted({ permission, children, otherwise = null }: PermittedProps): ReactNode {
  const isPermitted = usePermitted(permission)
  if (!useSession().caller) return null
  return isPermitted ? children : otherwise
}

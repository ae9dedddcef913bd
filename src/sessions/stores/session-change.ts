import type { Permissions } from '../../permissions/permissions.js'
import type { SessionHandle } from '../session-id.js'

/** What can be requested for live sessions, besides expiry. */
export type SessionChange =
  | { readonly kind: 'end'; readonly sid: SessionHandle }
  | {
      readonly kind: 'end-all'
      readonly userId: string
      readonly keep?: SessionHandle
      /** Whether it deserves an audit row when there is no session to end; true by default. */
      readonly isNewsIfNone?: boolean
    }
  | { readonly kind: 'regrant'; readonly userId: string; readonly granted: Permissions }

/**
 * Gives these sessions what was granted, each within the limits of its source. Of two grants the one with the
 * higher `version` is later.
 */
export interface SessionGrant {
  readonly version: number
  readonly sids: readonly SessionHandle[]
  readonly granted: Permissions
}

/**
 * What a store is told of changes: which sessions have ended, and what others may do now. It names sessions,
 * so it means the same whenever it is applied, and can be applied twice, late and in any order.
 */
export interface StoreChanges {
  readonly ended: readonly SessionHandle[]
  readonly grants: readonly SessionGrant[]
}

export const NO_CHANGES: StoreChanges = { ended: [], grants: [] }

/** Both together. */
export function mergeChanges(one: StoreChanges, other: StoreChanges): StoreChanges {
  return { ended: [...one.ended, ...other.ended], grants: [...one.grants, ...other.grants] }
}

/** The part about the sessions for which `isConcerned` returns true. */
export function changesOf(
  { ended, grants }: StoreChanges,
  isConcerned: (sid: SessionHandle) => boolean,
): StoreChanges {
  return {
    ended: ended.filter(isConcerned),
    grants: grants
      .map(grant => ({ ...grant, sids: grant.sids.filter(isConcerned) }))
      .filter(({ sids }) => sids.length > 0),
  }
}

/** How many sessions are named. */
export function sizeOf({ ended, grants }: StoreChanges): number {
  return grants.reduce((size, { sids }) => size + sids.length, ended.length)
}

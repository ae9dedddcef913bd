import type { Permissions } from '../permissions/permissions.js'
import type { SessionHandle } from './session-id.js'

/** What can be asked for to happen to live sessions, besides their expiry. */
export type SessionChange =
  | { readonly kind: 'end'; readonly sid: SessionHandle }
  | {
      readonly kind: 'end-all'
      readonly userId: string
      readonly keep?: SessionHandle
      /** Whether it is worth a row of the audit log where there is no session to end; true unless it says false. */
      readonly isNewsIfNone?: boolean
    }
  | { readonly kind: 'regrant'; readonly userId: string; readonly granted: Permissions }

/** These sessions have what was granted, each as far as its source may. Of two grants the one of the greater `version` is the later. */
export interface SessionGrant {
  readonly version: number
  readonly sids: readonly SessionHandle[]
  readonly granted: Permissions
}

/**
 * What a store is told of changes: which sessions have ended, and what others may do from now on. Each names its
 * sessions, so that it says the same whenever it is told, and can be told twice, late and in any order.
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

/** The part that concerns the sessions of which `isConcerned` says so. */
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

import { effectivePermissions, type Permissions } from '../permissions/permissions.js'
import type { SessionHandle } from './session-id.js'
import type { SessionStore } from './session-store.js'

/** What can happen to live sessions besides their expiry. */
export type SessionChange =
  | { readonly kind: 'end'; readonly sid: SessionHandle }
  | { readonly kind: 'end-all'; readonly userId: string; readonly keep?: SessionHandle }
  | { readonly kind: 'regrant'; readonly userId: string; readonly granted: Permissions }

/** Does it to the store. Safe to repeat; `at` is when it was decided, so a repetition spares what is newer. Returns how many sessions ended. */
export async function applyChange(store: SessionStore, change: SessionChange, at: Date): Promise<number> {
  switch (change.kind) {
    case 'end':
      return (await store.remove(change.sid)) ? 1 : 0
    case 'end-all':
      return store.removeByUser(change.userId, at, change.keep)
    case 'regrant':
      await store.setPermissions(change.userId, {
        main: effectivePermissions('main', change.granted),
        satellite: effectivePermissions('satellite', change.granted),
      })
      return 0
  }
}

import type { Actor } from '../audit/audit-event.js'
import type { Client } from '../http/request.js'
import type { Source } from '../permissions.js'

/**
 * What is limited; each kind has its own counters. Guesses at secrets: `password`, `passkey` (a credential's
 * signatures), `link`, `sign-up password` (by
 * its link), `session id` (at refresh) and `session` (guesses at the password from one live
 * session, counted when strangers have filled its user's limits). Mails: `mail` (requested without a login),
 * `sent mail` (caused by a logged-in user) and `power notice` (to those in charge, about who may do what). Also
 * `weak password` (expensive to measure), `write` (a change by a logged-in user), `containment` (one by which a user
 * contains damage), `handoff` (opens a session on a
 * satellite), `payment request` (calls the payment provider), `payment question` (the same by somebody who may not
 * pay), `satellite check` (queries servers that somebody has named), `operator look` (shows people in the console)
 * and `operator change`.
 */
export const LIMITED_KINDS = [
  'password',
  'passkey',
  'session',
  'session id',
  'link',
  'mail',
  'sent mail',
  'sign-up password',
  'power notice',
  'weak password',
  'write',
  'containment',
  'handoff',
  'payment request',
  'payment question',
  'satellite check',
  'operator look',
  'operator change',
] as const
export type LimitedKind = (typeof LIMITED_KINDS)[number]

/** A user, or an operator. `source` is that of the session they act in, where it matters. */
export type LimitedActor = Pick<Actor, 'userId' | 'accountId' | 'operator'> & { readonly source?: Source }

/** Something whose frequency is limited: on whose behalf, and from where. */
export interface LimitedAction {
  readonly kind: LimitedKind
  /**
   * The canonical e-mail address, whether or not it has a user; the id of a credential; a session handle; or
   * a user id. Empty when nobody is named.
   */
  readonly subject: string
  readonly client: Client
  /** Absent when nobody is logged in. */
  readonly actor?: LimitedActor
  /** Of a `sent mail`: whether it is about the user who causes it, so that any member may. */
  readonly isAboutOneself?: boolean
}

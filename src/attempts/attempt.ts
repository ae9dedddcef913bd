import type { Client } from '../http/client.js'

/**
 * Guesses at one secret, and requests that send mail: each kind has its own counters. `session`: guesses at a password by
 * one live session, counted when strangers have filled the limits of its user.
 */
export type AttemptKind = 'password' | 'session' | 'link' | 'mail'

/** What is attempted: on whose behalf, from where. */
export interface Attempt {
  readonly kind: AttemptKind
  /** Canonical e-mail, whether or not there is such a user; the handle of a session; empty where nobody is named. */
  readonly subject: string
  readonly client: Client
}

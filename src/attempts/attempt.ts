import type { Client } from '../http/client.js'

/**
 * What is counted; each kind has its own counters. Guesses at secrets: `password`, `link` (in a mail), `session id` (at
 * refresh), and `session`, guesses at a password by one live session, counted when strangers have filled the limits of
 * its user. Mails: `mail` for whoever asks without being logged in, `sent mail` for whoever is. And `weak password`,
 * which takes time to measure, `write`, a change that a logged-in user makes, and `payment request`, for which the
 * payment provider is asked.
 */
export type AttemptKind =
  | 'password'
  | 'session'
  | 'session id'
  | 'link'
  | 'mail'
  | 'sent mail'
  | 'weak password'
  | 'write'
  | 'payment request'

/** Who is logged in and does something. */
export interface Actor {
  readonly userId: string
  readonly accountId: string
}

/** What is attempted: on whose behalf, from where. */
export interface Attempt {
  readonly kind: AttemptKind
  /**
   * Canonical e-mail, whether or not there is such a user; the handle of a session; the id of a user; empty where nobody
   * is named.
   */
  readonly subject: string
  readonly client: Client
  /** Left out where nobody is logged in. */
  readonly actor?: Actor
}

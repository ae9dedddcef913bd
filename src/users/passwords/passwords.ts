import { Injectable, type OnModuleInit } from '@nestjs/common'
import { hash, verify } from '@node-rs/argon2'
import { Settings } from '../../platform/config/settings.js'
import { unavailable } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { Metrics } from '../../platform/metrics.js'
import { FairQueue, turnOf } from './fair-queue.js'
import { type ImportedHash, readImportedHash, UnusableHash } from './imported-hash.js'
import { normalizedPassword } from './password-text.js'

/**
 * OWASP Password Storage (2024): Argon2id with 19 MiB (`hashMemoryKib`), 2 passes, 1 lane. If these are raised, each
 * hash is replaced at the next login.
 */
const ARGON2ID = 2
const PARAMETERS = { algorithm: ARGON2ID, timeCost: 2, parallelism: 1 }

/** How many may wait per running job; further ones are refused and must try again. */
const WAITING_FOR_EACH = 25

/**
 * Hashes and verifies passwords, a bounded number at a time. When the queue is full, throws `TOO_BUSY` (503)
 * to the clients with the most jobs waiting.
 */
@Injectable()
export class Passwords implements OnModuleInit {
  private readonly queue: FairQueue
  private dummyHash!: string

  constructor(
    private readonly settings: Settings,
    metrics: Metrics,
  ) {
    const { hashConcurrency } = settings
    this.queue = new FairQueue({
      maxRunning: hashConcurrency,
      maxWaiting: WAITING_FOR_EACH * hashConcurrency,
      refusal: () => unavailable('TOO_BUSY'),
    })
    this.declareIn(metrics)
  }

  async onModuleInit(): Promise<void> {
    this.dummyHash = await this.hash('nobody has this password', null)
  }

  /**
   * A PHC string that contains its own parameters and salt. `client` is the one waiting for it; null for the
   * command line.
   */
  hash(password: string, client: Client | null): Promise<string> {
    return this.queue.run(turnOf(client), () =>
      hash(normalizedPassword(password), { ...PARAMETERS, memoryCost: this.settings.hashMemoryKib }),
    )
  }

  /**
   * Whether the password is right. Without a stored hash it takes just as long and returns false. An imported
   * hash takes its own time, but never less.
   */
  async verify(stored: string | null, password: string, client: Client | null): Promise<boolean> {
    const isRight = await this.queue.run(turnOf(client), () =>
      stored === null || this.needsRehash(stored)
        ? this.matchesImported(stored, password)
        : matchesAny(candidates(password), text => verify(stored, text)),
    )
    return isRight && stored !== null
  }

  /** Whether a hash was made with parameters other than the current ones. */
  needsRehash(stored: string): boolean {
    return !stored.startsWith(`$argon2id$v=19$m=${this.settings.hashMemoryKib},t=2,p=1$`)
  }

  private declareIn(metrics: Metrics): void {
    metrics.gauge({
      name: 'hash_queue_jobs',
      help: 'Passwords that are being hashed, and that wait for it',
      label: 'state',
      read: () => ({ running: this.queue.state.running, waiting: this.queue.state.waiting }),
    })
    metrics.counter({
      name: 'hash_queue_dropped_total',
      help: 'Passwords refused with TOO_BUSY because too many waited',
      read: () => this.queue.state.dropped,
    })
  }

  /** The dummy hash is verified as well, so that timing does not reveal a weak or unreadable hash. */
  private async matchesImported(stored: string | null, password: string): Promise<boolean> {
    const texts = candidates(password)
    const imported = stored === null ? null : readable(stored)
    const [isRight] = await Promise.all([
      imported !== null && matchesAny(texts, text => imported.matches(text)),
      matchesAny(texts, text => verify(this.dummyHash, text)),
    ])
    return isRight
  }
}

/** The password as we hash it and, if different, as typed, because the other system may have hashed that. */
function candidates(password: string): string[] {
  return [...new Set([normalizedPassword(password), password])]
}

/** Tries all of them, even after a match. */
async function matchesAny(
  texts: readonly string[],
  matches: (text: string) => Promise<boolean>,
): Promise<boolean> {
  const answers: boolean[] = []
  for (const text of texts) answers.push(await matches(text))
  return answers.includes(true)
}

/** Null for a hash that nobody can log in with. */
function readable(stored: string): ImportedHash | null {
  try {
    return readImportedHash(stored)
  } catch (error) {
    if (error instanceof UnusableHash) return null
    throw error
  }
}

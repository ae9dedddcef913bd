import { Injectable, type OnModuleInit } from '@nestjs/common'
import { hash, verify } from '@node-rs/argon2'
import { Settings } from '../../platform/config/settings.js'
import { unavailable } from '../../platform/errors/api-error.js'
import { FairQueue, turnOf } from '../../platform/fair-queue.js'
import { type About, field, Rule } from '../../platform/http/fields.js'
import type { Client } from '../../platform/http/request.js'
import { Metrics } from '../../platform/metrics.js'
import { type ImportedHash, readImportedHash, UnusableHash } from './hashes.js'

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

/**
 * ASVS 6.2.1, applies when a password is set. At login any length is accepted; otherwise raising the minimum
 * would lock people out.
 */
export const MIN_PASSWORD_LENGTH = 8
/** Refused before hashing, never truncated (ASVS 6.2.8-9). In code points. */
export const MAX_PASSWORD_LENGTH = 1_024

/**
 * The password in the form that is hashed: NFKC, so that the same keys typed on two systems agree (NIST
 * 800-63B-4 §3.1.1.2). Every character counts, including spaces and case.
 */
export function normalizedPassword(text: string): string {
  return text.normalize('NFKC')
}

/** The number of code points; 0 for text that is not valid Unicode, which a password may not contain. */
export function passwordLength(text: string): number {
  return /\p{Surrogate}/u.test(text) ? 0 : [...text].length
}

/** For body fields: a password of any length that could have been set. */
export const Password = (about: About = {}) =>
  field(
    { type: String, minLength: 1, maxLength: MAX_PASSWORD_LENGTH },
    about,
    Rule(
      'isPassword',
      value => typeof value === 'string' && isAcceptable(value),
      `must be text of 1 to ${MAX_PASSWORD_LENGTH} characters`,
    ),
  )

function isAcceptable(text: string): boolean {
  const length = text.length > 2 * MAX_PASSWORD_LENGTH ? 0 : passwordLength(text)
  return length > 0 && length <= MAX_PASSWORD_LENGTH
}

/**
 * For body fields: a password that is being set. Checks only its length (`INVALID_BODY`);
 * {@link PasswordPolicy} checks its strength.
 */
export const NewPassword = (about: About = {}) =>
  field(
    { type: String, minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH },
    about,
    Rule(
      'isNewPassword',
      value => typeof value === 'string' && isLongEnough(value),
      `must be text of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
    ),
  )

/** Counts characters after normalisation, so eight typed characters that normalise to four count as four. */
function isLongEnough(text: string): boolean {
  if (text.length > 2 * MAX_PASSWORD_LENGTH || passwordLength(text) > MAX_PASSWORD_LENGTH) return false
  return passwordLength(normalizedPassword(text)) >= MIN_PASSWORD_LENGTH
}

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Injectable } from '@nestjs/common'
import { Settings } from '../../platform/config/settings.js'
import { ApiError, unavailable } from '../../platform/errors/api-error.js'
import { type FieldFault, fieldError } from '../../platform/errors/field-faults.js'
import { FairQueue, turnOf } from '../../platform/fair-queue.js'
import type { Client } from '../../platform/http/request.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { knownWords, withoutKnown } from './known-words.js'
import { MIN_PASSWORD_LENGTH, normalizedPassword, Passwords, passwordLength } from './passwords.js'

/** zxcvbn's estimate for eight random characters, the weakest good password of minimum length. */
const MIN_GUESSES = 1e8

const ADVICE = 'A few unrelated words make a good password.'
/** How many passwords may wait to be measured; further ones are refused as `TOO_BUSY`. */
const MAX_WAITING = 50

/** The weaknesses that zxcvbn warns about, by its names for them. */
const WEAKNESSES: Readonly<Record<string, FieldFault>> = {
  straightRow: 'PASSWORD_KEY_ROW',
  keyPattern: 'PASSWORD_KEY_PATTERN',
  simpleRepeat: 'PASSWORD_REPEAT',
  extendedRepeat: 'PASSWORD_REPEATED_PATTERN',
  sequences: 'PASSWORD_SEQUENCE',
  recentYears: 'PASSWORD_YEAR',
  dates: 'PASSWORD_DATE',
  topTen: 'PASSWORD_COMMON',
  topHundred: 'PASSWORD_COMMON',
  common: 'PASSWORD_COMMON',
  similarToCommon: 'PASSWORD_SIMILAR',
  wordByItself: 'PASSWORD_WORD',
  namesByThemselves: 'PASSWORD_NAME',
  commonNames: 'PASSWORD_NAME',
  userInputs: 'PASSWORD_PERSONAL',
}

/** What is known of the user who sets a password. */
interface PasswordContext {
  /**
   * Words about them, such as e-mail address and names. The names of this product and of the main site are
   * always added.
   */
  readonly known: readonly string[]
  /** Null for what the service does by itself. */
  readonly client: Client | null
  /** Weak passwords are counted per subject, such as a user id; empty means per network. */
  readonly subject: string
}

/** Which passwords users may set. Passwords set by operators are not checked. */
@Injectable()
export class PasswordPolicy {
  /** One at a time, because there is only one thread. */
  private readonly queue = new FairQueue({
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    refusal: () => unavailable('TOO_BUSY'),
  })

  constructor(
    private readonly settings: Settings,
    private readonly rateLimiter: RateLimiter,
    private readonly passwords: Passwords,
  ) {}

  /**
   * Throws `WEAK_PASSWORD` with the reason in `errors` when the password is among the most common ones, is
   * built from what is known about the user, or takes too few guesses; `TOO_MANY_ATTEMPTS` after many weak
   * ones; `TOO_BUSY` when too many others wait to be measured.
   */
  async require(password: string, { known, client, subject }: PasswordContext): Promise<void> {
    const normalized = normalizedPassword(password)
    if (!client) return this.check(normalized, known, client)
    const counted = await this.rateLimiter.count({ kind: 'weak password', subject, client })
    await counted.checkedBy(this.check(normalized, known, client))
  }

  /** The hash of a new password. Throws like {@link require}, and `TOO_BUSY`. */
  async hash(password: string, context: PasswordContext): Promise<string> {
    await this.require(password, context)
    return this.passwords.hash(password, context.client)
  }

  private async check(password: string, known: readonly string[], client: Client | null): Promise<void> {
    const code = await this.weaknessOf(password, known, client)
    if (!code) return
    const fault = fieldError('password', code)
    throw new ApiError('WEAK_PASSWORD', { errors: [{ ...fault, message: `${fault.message} ${ADVICE}` }] })
  }

  private async weaknessOf(
    password: string,
    known: readonly string[],
    client: Client | null,
  ): Promise<FieldFault | null> {
    const words = knownWords(new URL(this.settings.mainOrigin).hostname, known)
    const measure = () => strengthMeter.measure(password, words)
    const { isCommon, guesses, warning } = await this.queue.run(turnOf(client), measure)
    if (isCommon) return 'PASSWORD_COMMON'
    if (passwordLength(withoutKnown(password, known, words)) < MIN_PASSWORD_LENGTH) return 'PASSWORD_PERSONAL'
    return guesses < MIN_GUESSES ? (WEAKNESSES[warning ?? ''] ?? 'PASSWORD_GUESSABLE') : null
  }
}

/** How hard a password is to guess, as estimated by zxcvbn. */
interface Strength {
  /** Whether it is one of the 49,000 most common passwords, ignoring case. */
  readonly isCommon: boolean
  readonly guesses: number
  /** What makes it weak, by zxcvbn's name, such as `straightRow`; null when there is no warning. */
  readonly warning: string | null
}

interface Answer {
  readonly id: number
  readonly strength?: Strength
  readonly error?: string
}

interface Waiting {
  resolve(strength: Strength): void
  reject(error: Error): void
}

/**
 * Measures passwords on a separate thread, one at a time, in order. The thread starts with the first password and then
 * lives as long as the process, whose end it does not delay.
 */
class StrengthMeter {
  private worker: Worker | undefined
  private readonly waiting = new Map<number, Waiting>()
  private lastId = 0

  /**
   * Measures a password against an attacker who would try `contextWords` first. Rejects when the thread has
   * died; the next call starts a new one.
   */
  measure(password: string, contextWords: readonly string[]): Promise<Strength> {
    this.worker ??= this.start()
    const { worker } = this
    return new Promise((resolve, reject) => {
      const id = ++this.lastId
      this.waiting.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ id, password, contextWords })
    })
  }

  private start(): Worker {
    const worker = new Worker(workerFile())
    worker.on('message', (answer: Answer) => this.answer(worker, answer))
    worker.on('error', error => this.fail(worker, error))
    worker.on('exit', () => this.fail(worker, new Error('The thread that measures passwords has ended')))
    return worker
  }

  private answer(worker: Worker, { id, strength, error }: Answer): void {
    const pending = this.waiting.get(id)
    this.waiting.delete(id)
    // Nothing is pending, so the process may exit.
    if (this.waiting.size === 0) worker.unref()
    if (strength) pending?.resolve(strength)
    else pending?.reject(new Error(error))
  }

  private fail(worker: Worker, error: Error): void {
    if (this.worker !== worker) return
    this.worker = undefined
    const lost = [...this.waiting.values()]
    this.waiting.clear()
    for (const { reject } of lost) reject(error)
  }
}

/** One is enough for all services of a process: its dictionaries take half a second and some 40 MB. */
export const strengthMeter = new StrengthMeter()

/** In the build it is JavaScript; tests use the sources, which Node runs directly. */
function workerFile(): URL {
  const built = new URL('./password-strength.worker.js', import.meta.url)
  return existsSync(fileURLToPath(built)) ? built : new URL('./password-strength.worker.ts', import.meta.url)
}

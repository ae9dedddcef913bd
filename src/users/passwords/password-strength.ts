import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** How hard a password is to guess, as estimated by zxcvbn. */
export interface Strength {
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

import { createHash } from 'node:crypto'
import type { Answer, SavedAnswer } from '../http/answer.js'
import { ApiError } from '../http/api-error.js'
import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'

// https://docs.stripe.com/api/idempotent_requests: keys can be removed after they are at least 24 hours old.
const LIFETIME_SECONDS = 24 * 60 * 60

/** Makes retries safe, by the rules of https://docs.stripe.com/api/idempotent_requests. */
export class IdempotencyKeys {
  private readonly inProgress = new Map<string, string>()

  constructor(private readonly state: State) {}

  /**
   * The saved answer when this request was answered before. Otherwise null, and the key is in use until
   * `save` or `release`. Throws 400 idempotency_error when the key was used for a different request, and 409
   * while the first request is in progress.
   */
  claim(key: string, request: string): SavedAnswer | null {
    const requestHash = createHash('sha256').update(request).digest('base64url')
    const stored = this.state.answers.get(key)
    const live = stored && stored.savedAt + LIFETIME_SECONDS > nowSeconds() ? stored : null
    const before = live?.requestHash ?? this.inProgress.get(key)
    if (before !== undefined && before !== requestHash) throw keyReused(key)
    if (live) return live
    if (before !== undefined) throw keyInUse(key)
    this.inProgress.set(key, requestHash)
    return null
  }

  /** Whether a request with this key is in progress. */
  isInProgress(key: string | null): boolean {
    return key !== null && this.inProgress.has(key)
  }

  /** Saves the answer under its key, and drops expired answers. */
  save(key: string, answer: Answer, requestId: string): void {
    const requestHash = this.inProgress.get(key) ?? ''
    this.release(key)
    const now = nowSeconds()
    // A copy: the object in the answer changes later, for example when it is paid; the saved answer must not.
    this.state.answers.delete(key)
    this.state.answers.set(key, { ...structuredClone(answer), requestHash, savedAt: now, requestId })
    for (const [old, { savedAt }] of this.state.answers) {
      // Oldest first, so that a request does not have to scan all of them.
      if (savedAt + LIFETIME_SECONDS > now) break
      this.state.answers.delete(old)
    }
    this.state.changed()
  }

  /** Frees a key whose request left no answer. */
  release(key: string): void {
    this.inProgress.delete(key)
  }
}

function keyReused(key: string): ApiError {
  const message =
    'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
    `Try using a key other than '${key}' if you meant to execute a different request.`
  return new ApiError(400, 'idempotency_error', message)
}

function keyInUse(key: string): ApiError {
  const message = `There is currently another in-progress request using this Idempotent Key: ${key}.`
  return new ApiError(409, 'idempotency_error', message, 'idempotency_key_in_use')
}

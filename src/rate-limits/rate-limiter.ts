import { Injectable } from '@nestjs/common'
import { AuditLog } from '../audit/audit-log.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { Alarms } from './alarms.js'
import type { Actor, Attempt } from './attempt.js'
import { backoffWindow, TIMES_FULL_SECONDS, timesFullKey } from './backoff-window.js'
import { type Bucket, bucketsOf } from './buckets.js'
import type { Count, Counted } from './count.js'
import { type CountedAttempt, countedAttempt } from './counted-attempt.js'
import { Counters } from './counters.js'

interface Filling extends Bucket, Count {}

/**
 * Bounds how often secrets can be guessed, mails caused and rows written, by the rules in limit-rules.ts.
 * Each attempt is counted before its work, atomically, so a hundred at once count as a hundred.
 */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly counters: Counters,
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
    private readonly alarms: Alarms,
  ) {}

  /**
   * Counts an attempt before its work. Throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) without counting
   * it. `isKnownClient` is called only when a limit is reached that others may have filled: known clients and
   * holders of a valid link are then let in, as far as their own limits allow.
   */
  async count(
    attempt: Attempt,
    isKnownClient: () => Promise<boolean> = async () => false,
  ): Promise<CountedAttempt> {
    const buckets = bucketsOf(attempt, this.settings.attempts)
    let known: Promise<boolean> | undefined
    const isKnown = () => {
      known ??= isKnownClient()
      return known
    }
    const windows = await this.windowsOf(buckets, attempt, isKnown)
    const added = await this.counters.add(windows)
    const filled = zip(buckets, added.counts)
    try {
      await this.refuseIfFull(
        filled.filter(({ points, max: most, binds }) => binds !== 'nobody' && points > most),
        attempt,
        isKnown,
      )
    } catch (refusal) {
      await added.refund()
      throw refusal
    }
    this.alarms.check(attempt, filled)
    await this.countTimesFull(filled)
    return countedAttempt(this.counters, buckets, added)
  }

  /**
   * Does `work`, which tests a secret. It counts as a wrong guess unless it resolves to a value other than
   * null, or rejects because a part was down or busy. Throws like {@link count}.
   */
  async guess<T>(
    attempt: Attempt,
    work: () => Promise<T>,
    isKnownClient?: () => Promise<boolean>,
  ): Promise<T> {
    const counted = await this.count(attempt, isKnownClient)
    try {
      const done = await work()
      await (done === null ? counted.failed() : counted.succeeded())
      return done
    } catch (error) {
      await (isRefusal(error) ? counted.failed() : counted.refund())
      throw error
    }
  }

  /**
   * Does `work`, which mails `receiver` something for somebody who is not logged in. Not counted when it
   * rejects, because then nothing was mailed. Throws like {@link count}.
   */
  async mail<T>(
    receiver: string,
    client: Client,
    work: () => Promise<T>,
    isKnownClient?: () => Promise<boolean>,
  ): Promise<T> {
    return this.unlessItFails({ kind: 'mail', subject: receiver, client }, work, isKnownClient)
  }

  /**
   * Like {@link mail}, for somebody who is logged in: counted by user and account, so that strangers cannot
   * use up their limit.
   */
  async mailBy<T>(
    { userId, accountId }: Actor,
    receiver: string,
    client: Client,
    work: () => Promise<T>,
  ): Promise<T> {
    const actor = { userId, accountId }
    return this.unlessItFails({ kind: 'sent mail', subject: receiver, client, actor }, work)
  }

  /** Like {@link count}, for callers that only need yes or no: false when there were too many. */
  async isAllowed(attempt: Attempt): Promise<boolean> {
    try {
      await this.count(attempt)
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  private async unlessItFails<T>(
    attempt: Attempt,
    work: () => Promise<T>,
    isKnownClient?: () => Promise<boolean>,
  ): Promise<T> {
    const counted = await this.count(attempt, isKnownClient)
    try {
      return await work()
    } catch (error) {
      await counted.refund()
      throw error
    }
  }

  /**
   * The window of each bucket if this attempt opens it. Refuses what will surely be refused, so that a flood
   * creates no counters.
   */
  private async windowsOf(
    buckets: readonly Bucket[],
    attempt: Attempt,
    mayPass: () => Promise<boolean>,
  ): Promise<Counted[]> {
    const growing = buckets.filter(({ isOfAccount }) => isOfAccount)
    const binding = buckets.filter(({ binds }) => binds !== 'nobody')
    const keys = [...binding.map(({ key }) => key), ...growing.map(({ key }) => timesFullKey(key))]
    const counts = await this.counters.read(keys)
    const full = zip(binding, counts).filter(({ points, max: most }) => points >= most)
    await this.refuseIfFull(full, attempt, mayPass)
    return buckets.map(({ key, windowSeconds }) => {
      const offences = counts[keys.indexOf(timesFullKey(key))]?.points ?? 0
      return { key, windowSeconds: backoffWindow(windowSeconds, offences) }
    })
  }

  private async refuseIfFull(
    full: readonly Filling[],
    { kind, subject, client, actor }: Attempt,
    mayPass: () => Promise<boolean>,
  ): Promise<void> {
    const [fullest] = full.toSorted((one, other) => other.msLeft - one.msLeft)
    if (!fullest) return
    if (full.every(({ binds }) => binds === 'strangers') && (await mayPass())) return
    const { limit, msLeft } = fullest
    const detail = { kind, limit, ...(subject.includes('@') && { email: subject }) }
    this.auditLog.note({ action: 'attempts', outcome: 'refused', client, ...actor, detail })
    const seconds = Math.max(1, Math.ceil(msLeft / 1000))
    throw new ApiError('TOO_MANY_ATTEMPTS', { headers: { 'Retry-After': String(seconds) } })
  }

  private async countTimesFull(filled: readonly Filling[]): Promise<void> {
    const justFull = filled.filter(({ isOfAccount, points, max: most }) => isOfAccount && points === most)
    if (justFull.length > 0)
      await this.counters.add(
        justFull.map(({ key }) => ({ key: timesFullKey(key), windowSeconds: TIMES_FULL_SECONDS })),
      )
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

function zip(buckets: readonly Bucket[], counts: readonly Count[]): Filling[] {
  return buckets.map((bucket, index) => ({ ...bucket, ...(counts[index] as Count) }))
}

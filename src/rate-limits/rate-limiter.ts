import { Injectable } from '@nestjs/common'
import { AuditLog } from '../audit/audit-log.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { Alarms } from './alarms.js'
import type { Actor, Attempt } from './attempt.js'
import { grownWindow, OFFENCES_SECONDS, offencesOf } from './backoff-window.js'
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
export class AttemptLimits {
  constructor(
    private readonly counters: Counters,
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
    private readonly alarms: Alarms,
  ) {}

  /**
   * Counts an attempt before its work. Throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) without counting
   * it. `isFamiliar` is called only when a limit is reached that others may have filled: familiar clients and
   * holders of a valid link are then let in, as far as their own limits allow.
   */
  async count(
    attempt: Attempt,
    isFamiliar: () => Promise<boolean> = async () => false,
  ): Promise<CountedAttempt> {
    const buckets = bucketsOf(attempt, this.settings.attempts)
    let familiar: Promise<boolean> | undefined
    const mayPass = () => {
      familiar ??= isFamiliar()
      return familiar
    }
    const windows = await this.windowsOf(buckets, attempt, mayPass)
    const added = await this.counters.add(windows)
    const filled = together(buckets, added.counts)
    try {
      await this.refuseIfFull(
        filled.filter(({ points, most, binds }) => binds !== 'nobody' && points > most),
        attempt,
        mayPass,
      )
    } catch (refusal) {
      await added.giveBack()
      throw refusal
    }
    this.alarms.look(attempt, filled)
    await this.noteOffences(filled)
    return countedAttempt(this.counters, buckets, added)
  }

  /**
   * Does `work`, which tests a secret. It counts as a wrong guess unless it resolves to a value other than
   * null, or rejects because a part was down or busy. Throws like {@link count}.
   */
  async guess<T>(attempt: Attempt, work: () => Promise<T>, isFamiliar?: () => Promise<boolean>): Promise<T> {
    const counted = await this.count(attempt, isFamiliar)
    try {
      const done = await work()
      await (done === null ? counted.failed() : counted.succeeded())
      return done
    } catch (error) {
      await (isRefusal(error) ? counted.failed() : counted.takeBack())
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
    isFamiliar?: () => Promise<boolean>,
  ): Promise<T> {
    return this.unlessItFails({ kind: 'mail', subject: receiver, client }, work, isFamiliar)
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
  async hasRoom(attempt: Attempt): Promise<boolean> {
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
    isFamiliar?: () => Promise<boolean>,
  ): Promise<T> {
    const counted = await this.count(attempt, isFamiliar)
    try {
      return await work()
    } catch (error) {
      await counted.takeBack()
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
    const keys = [...binding.map(({ key }) => key), ...growing.map(({ key }) => offencesOf(key))]
    const counts = await this.counters.look(keys)
    const full = together(binding, counts).filter(({ points, most }) => points >= most)
    await this.refuseIfFull(full, attempt, mayPass)
    return buckets.map(({ key, windowSeconds }) => {
      const offences = counts[keys.indexOf(offencesOf(key))]?.points ?? 0
      return { key, windowSeconds: grownWindow(windowSeconds, offences) }
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

  private async noteOffences(filled: readonly Filling[]): Promise<void> {
    const justFull = filled.filter(({ isOfAccount, points, most }) => isOfAccount && points === most)
    if (justFull.length > 0)
      await this.counters.add(
        justFull.map(({ key }) => ({ key: offencesOf(key), windowSeconds: OFFENCES_SECONDS })),
      )
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

function together(buckets: readonly Bucket[], counts: readonly Count[]): Filling[] {
  return buckets.map((bucket, index) => ({ ...bucket, ...(counts[index] as Count) }))
}

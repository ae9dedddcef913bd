import { Injectable } from '@nestjs/common'
import type { Actor } from '../audit/actor.js'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { countsOf, Metrics } from '../metrics/metrics.js'
import { Alarms, type FilledBucket } from './alarms.js'
import { type Bucket, bucketsOf } from './buckets.js'
import { type Added, Counters } from './counters.js'
import { LIMITED_KINDS, type LimitedAction } from './limited-action.js'
import type { Count, Limited } from './shared-counters.js'

/** The longest window (NIST SP 800-63B §3.2.2: "up to an hour"). */
const MAX_WINDOW_SECONDS = 60 * 60
/** How long we remember how often a bucket was full. */
const TIMES_FULL_SECONDS = 24 * 60 * 60

/**
 * Bounds how often secrets can be guessed, mails caused and rows written, by the rules in buckets.ts. Each
 * action is counted before its work, atomically, so a hundred at once count as a hundred.
 */
@Injectable()
export class RateLimiter {
  private readonly alarms = new Alarms()
  private readonly refusals = countsOf(LIMITED_KINDS)
  private readonly overAlarm = countsOf(LIMITED_KINDS)

  constructor(
    private readonly counters: Counters,
    private readonly settings: Settings,
    private readonly auditLog: AuditLog,
    metrics: Metrics,
  ) {
    this.declareIn(metrics)
  }

  /**
   * Counts an action before its work. Throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) without counting
   * it. `isKnownClient` is called only when a limit is reached that others may have filled: known clients and
   * holders of a valid link are then let in, as far as their own limits allow.
   */
  async count(
    action: LimitedAction,
    isKnownClient: () => Promise<boolean> = async () => false,
  ): Promise<CountedAction> {
    const buckets = bucketsOf(action, this.settings.rateLimits)
    let known: Promise<boolean> | undefined
    const isKnown = () => {
      known ??= isKnownClient()
      return known
    }
    const limits = buckets.map(limitOf)
    // What will surely be refused is not counted, so that a flood creates no counters.
    const found = await this.counters.addUnlessFull(limits)
    if (!found.refund) {
      const isFull = ({ binds, points, max }: FilledBucket) => binds !== 'nobody' && points >= max
      await this.refuseIfFull(zip(buckets, found.counts).filter(isFull), action, isKnown)
    }
    const added = found.refund ? found : await this.counters.addEvenIfFull(limits)
    const filled = zip(buckets, added.counts)
    try {
      const over = filled.filter(({ points, max, binds }) => binds !== 'nobody' && points > max)
      await this.refuseIfFull(over, action, isKnown)
    } catch (refusal) {
      await added.refund()
      throw refusal
    }
    const alarming = filled.filter(({ points, max, binds }) => binds === 'nobody' && points >= max)
    if (alarming.length > 0) {
      this.overAlarm[action.kind]++
      this.alarms.raise(action, alarming)
    }
    await this.countTimesFull(filled)
    return new CountedAction(this.counters, buckets, added)
  }

  /**
   * Like {@link count}, for a mail that a logged-in user causes: by user and account, so that strangers
   * cannot use up their limit.
   */
  countMailBy(
    { userId, accountId }: Pick<Actor, 'userId' | 'accountId'>,
    receiver: string,
    client: Client,
  ): Promise<CountedAction> {
    return this.count({ kind: 'sent mail', subject: receiver, client, actor: { userId, accountId } })
  }

  /** Like {@link count}, for callers that only need yes or no: false when there were too many. */
  async isAllowed(action: LimitedAction): Promise<boolean> {
    try {
      await this.count(action)
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  private declareIn(metrics: Metrics): void {
    metrics.counter({
      name: 'rate_limit_refusals_total',
      help: 'Actions refused because a counter was over its limit, by kind',
      label: 'kind',
      read: () => this.refusals,
    })
    metrics.counter({
      name: 'rate_limit_alarms_total',
      help: 'Actions let through while a counter that everybody shares was over its limit, by kind',
      label: 'kind',
      read: () => this.overAlarm,
    })
    metrics.gauge({
      name: 'rate_limit_silent_shards',
      help: 'Shards of Redis that do not count, so that each process counts for itself',
      read: () => this.counters.silentShards,
    })
  }

  private async refuseIfFull(
    full: readonly FilledBucket[],
    { kind, subject, client, actor }: LimitedAction,
    isKnown: () => Promise<boolean>,
  ): Promise<void> {
    const [fullest] = full.toSorted((one, other) => other.msLeft - one.msLeft)
    if (!fullest) return
    if (full.every(({ binds }) => binds === 'strangers') && (await isKnown())) return
    this.refusals[kind]++
    const { limit, msLeft } = fullest
    const detail = { kind, limit, ...(subject.includes('@') && { email: subject }) }
    this.auditLog.note({ ...auditEvent({ ...actor, client }, 'rate.limit', detail), outcome: 'refused' })
    const seconds = Math.max(1, Math.ceil(msLeft / 1000))
    throw new ApiError('TOO_MANY_ATTEMPTS', { headers: { 'Retry-After': String(seconds) } })
  }

  private async countTimesFull(filled: readonly FilledBucket[]): Promise<void> {
    const justFull = filled.filter(({ isOfAccount, points, max }) => isOfAccount && points === max)
    if (justFull.length > 0)
      await this.counters.add(
        justFull.map(({ key }) => ({ key: timesFullKey(key), windowSeconds: TIMES_FULL_SECONDS })),
      )
  }
}

/** An action that was let through. Until its outcome is reported, it counts both as right and as wrong. */
export class CountedAction {
  constructor(
    private readonly counters: Counters,
    private readonly buckets: readonly Bucket[],
    private readonly added: Added,
  ) {}

  /** The guess was right: resets the account's counters and no longer counts against others. */
  async succeeded(): Promise<void> {
    await this.reset(this.keysOf(({ isOfAccount }) => isOfAccount))
  }

  /**
   * The guess was right, but more has to be proved, which is counted by itself. It is not a wrong one, and
   * resets nothing: otherwise whoever knows the password could reset what limits guesses at the rest. It counts
   * as right where it came from, but not for the account: there it would keep the user out.
   */
  async provedInPart(): Promise<void> {
    const left = this.keysOf(
      ({ counts, limit }) => counts === 'wrong' || (counts === 'right' && limit === 'account'),
    )
    await this.added.refund(key => left.includes(key))
  }

  /** Like {@link succeeded}, after {@link provedInPart} has counted the same login where it came from. */
  async completed(): Promise<void> {
    const ofAccount = this.keysOf(({ isOfAccount }) => isOfAccount)
    const twice = this.keysOf(({ counts, limit }) => counts === 'right' && limit !== 'account')
    await this.reset(ofAccount, twice)
  }

  /** The guess was wrong. */
  async failed(): Promise<void> {
    const right = this.keysOf(({ counts }) => counts === 'right')
    if (right.length > 0) await this.added.refund(key => right.includes(key))
  }

  /** It was not done, because a part was down or busy; takes it off again. */
  refund(): Promise<void> {
    return this.added.refund()
  }

  /**
   * The check of the guess has thrown: a refusal means that it was wrong, all else that it was not checked.
   */
  threw(error: unknown): Promise<void> {
    const isRefusal = error instanceof ApiError && error.status < 500
    return isRefusal ? this.failed() : this.refund()
  }

  /** What the check of a guess resolves to: it was right. When it rejects, that is reported: see {@link threw}. */
  async checkedBy<T>(check: Promise<T>): Promise<T> {
    try {
      const checked = await check
      await this.succeeded()
      return checked
    } catch (error) {
      await this.threw(error)
      throw error
    }
  }

  /** What `work` resolves to. When it rejects, nothing came of it, and this is refunded. */
  async refundIfRejected<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      await this.refund()
      throw error
    }
  }

  private async reset(ofAccount: readonly string[], refunded: readonly string[] = []): Promise<void> {
    const wrong = this.keysOf(({ counts, isOfAccount }) => counts === 'wrong' && !isOfAccount)
    await Promise.all([
      this.counters.forget([...ofAccount, ...ofAccount.map(timesFullKey)]),
      this.added.refund(key => wrong.includes(key) || refunded.includes(key)),
    ])
  }

  private keysOf(which: (bucket: Bucket) => boolean): string[] {
    return this.buckets.filter(which).map(({ key }) => key)
  }
}

/** The key that counts how often this counter was full. */
function timesFullKey(key: string): string {
  return `${key}:offences`
}

function limitOf({ key, max, binds, windowSeconds, isOfAccount }: Bucket): Limited {
  const windowsSeconds = isOfAccount ? backoffWindows(windowSeconds) : [windowSeconds]
  const limit = { key, max: binds === 'nobody' ? null : max, windowsSeconds }
  return { ...limit, timesFullKey: isOfAccount ? timesFullKey(key) : null }
}

/** Twice as long each time the counter was full, up to an hour. */
function backoffWindows(windowSeconds: number): number[] {
  if (windowSeconds >= MAX_WINDOW_SECONDS) return [windowSeconds]
  return [windowSeconds, ...backoffWindows(Math.min(2 * windowSeconds, MAX_WINDOW_SECONDS))]
}

function zip(buckets: readonly Bucket[], counts: readonly Count[]): FilledBucket[] {
  return buckets.map((bucket, index) => ({ ...bucket, ...(counts[index] as Count) }))
}

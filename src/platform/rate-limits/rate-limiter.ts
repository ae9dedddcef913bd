// What was decided here, and why: docs/decisions/README.md, "Limits"
import { Injectable, Module } from '@nestjs/common'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog, AuditLogModule } from '../audit/audit-log.js'
import { Settings } from '../config/settings.js'
import { ApiError, isRefusal } from '../errors/api-error.js'
import type { Client } from '../http/request.js'
import { Logger } from '../log.js'
import { countsOf, Metrics } from '../metrics.js'
import { RedisConnection, RedisModule } from '../redis/redis.js'
import { Throttle, withMinimumDuration } from '../time.js'
import { type Added, type Count, Counters } from './counters.js'
import {
  type Bucket,
  bucketsOf,
  LIMITED_KINDS,
  type LimitedAction,
  type LimitedActor,
  type LimitedKind,
  mayRefuse,
  timesFullOf,
  windowSecondsOf,
} from './limit-rules.js'

/**
 * Limits how often secrets can be guessed, mails triggered and rows written, by the rules in limit-rules.ts. Each
 * action is counted before it is carried out, so a hundred at once count as a hundred: first all of its counters are
 * read, then it is added to all of them, and taken off again if that took one beyond its limit.
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

  /**
   * Counts an action before it is carried out. Throws `TOO_MANY_ATTEMPTS` (429 with `Retry-After`) without
   * counting it. `isKnownClient` is called only when a limit is reached that others may have filled: known
   * clients and holders of a valid link are then let in, as far as their own limits allow.
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
    // An action that will certainly be refused is not counted, so that a flood creates no counters.
    const found = await this.counters.read([
      ...buckets.filter(mayRefuse),
      ...buckets.filter(({ isOfAccount }) => isOfAccount).map(timesFullOf),
    ])
    const full = found.filter(bucket => mayRefuse(bucket) && bucket.points >= bucket.max)
    await this.refuseIfFull(full, action, isKnown)
    const timesFull = (bucket: Bucket) =>
      found.find(({ key }) => key === timesFullOf(bucket).key)?.points ?? 0
    const counted = await this.counters.add(
      buckets.map(bucket => ({ ...bucket, windowSeconds: windowSecondsOf(bucket, timesFull(bucket)) })),
    )
    try {
      const over = counted.filter(bucket => mayRefuse(bucket) && bucket.points > bucket.max)
      await this.refuseIfFull(over, action, isKnown)
    } catch (refusal) {
      await this.counters.takeOff(counted)
      throw refusal
    }
    const alarming = counted.filter(bucket => !mayRefuse(bucket) && bucket.points >= bucket.max)
    if (alarming.length > 0) {
      this.overAlarm[action.kind]++
      this.alarms.raise(action, alarming)
    }
    const justFull = counted.filter(({ isOfAccount, points, max }) => isOfAccount && points === max)
    await this.counters.add(justFull.map(timesFullOf))
    return new CountedAction(this.counters, counted)
  }

  /**
   * Like {@link count}, for a mail that a logged-in user or an operator triggers: limited by user and account,
   * so that strangers cannot use up their limit. One that any user may have sent about themselves (`isAboutOneself`)
   * takes nothing from their account.
   */
  countMailBy(
    { userId, accountId, operator }: LimitedActor,
    recipient: string,
    client: Client,
    { isAboutOneself = false } = {},
  ): Promise<CountedAction> {
    const actor = { userId, accountId, ...(operator && { operator }) }
    return this.count({ kind: 'sent mail', subject: recipient, client, actor, isAboutOneself })
  }

  /** Like {@link count}; null when there were too many. */
  async countIfAllowed(action: LimitedAction): Promise<CountedAction | null> {
    try {
      return await this.count(action)
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }

  /** Like {@link countIfAllowed}, for callers that only need yes or no. */
  async isAllowed(action: LimitedAction): Promise<boolean> {
    return (await this.countIfAllowed(action)) !== null
  }

  private async refuseIfFull(
    full: readonly (Bucket & Count)[],
    { kind, subject, client, actor }: LimitedAction,
    isKnown: () => Promise<boolean>,
  ): Promise<void> {
    const [fullest] = full.toSorted((one, other) => other.msLeft - one.msLeft)
    if (!fullest) return
    if (full.every(({ refuses }) => refuses === 'strangers') && (await isKnown())) return
    this.refusals[kind]++
    const { scope, msLeft } = fullest
    const detail = { kind, limit: scope, ...(subject.includes('@') && { email: subject }) }
    this.auditLog.enqueue(auditEvent({ ...actor, client }, 'rate.limit', detail), 'refused')
    const seconds = Math.max(1, Math.ceil(msLeft / 1000))
    throw new ApiError('TOO_MANY_ATTEMPTS', { headers: { 'Retry-After': String(seconds) } })
  }
}

/** A bucket in which an action is counted. */
type CountedBucket = Bucket & Added

/** Does `mail` once it is counted, and refunds it if that rejects; the time that it takes does not reveal whether there was anything to mail. */
export function mailCounted(counting: Promise<CountedAction>, mail: () => Promise<void>): Promise<void> {
  return withMinimumDuration(counting.then(counted => counted.refundIfRejected(mail())))
}

/** An action that was let through. Until its outcome is reported, it counts both as right and as wrong. */
export class CountedAction {
  constructor(
    private readonly counters: Counters,
    private readonly counted: readonly CountedBucket[],
  ) {}

  /** Combines two counts of one action; its outcome is reported once, to both. */
  and({ counted }: CountedAction): CountedAction {
    return new CountedAction(this.counters, [...this.counted, ...counted])
  }

  /** The guess was right: resets the account's counters and takes it off those that others share. */
  async succeeded(): Promise<void> {
    await this.reset(({ counts, isOfAccount }) => counts === 'wrong' && !isOfAccount)
  }

  /**
   * The guess was right, but more must be proved, which is counted separately. It is not counted as wrong,
   * and resets nothing: otherwise somebody who knows the password could reset the limit on guessing the rest.
   * It counts as right where it came from, but not for the account, because that would keep the user out.
   */
  async partlySucceeded(): Promise<void> {
    await this.takeOff(
      ({ counts, scope }) => counts === 'wrong' || (counts === 'right' && scope === 'account'),
    )
  }

  /**
   * Like {@link succeeded}, after {@link partlySucceeded} has already counted this login where its first step came from.
   */
  async completed(): Promise<void> {
    await this.reset(
      ({ counts, isOfAccount, scope }) =>
        (counts === 'wrong' && !isOfAccount) || (counts === 'right' && scope !== 'account'),
    )
  }

  /** The guess was wrong. */
  async failed(): Promise<void> {
    await this.takeOff(({ counts }) => counts === 'right')
  }

  /** It was not carried out, because a component was down or busy; takes it off again. */
  refund(): Promise<void> {
    return this.takeOff(() => true)
  }

  /** Checking the guess threw: a refusal means that it was wrong, anything else that it was not checked. */
  threw(error: unknown): Promise<void> {
    return isRefusal(error) ? this.failed() : this.refund()
  }

  /**
   * Returns the result of checking a guess, which means that it was right. A rejection is reported, see
   * {@link threw}.
   */
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

  /** Returns the result of `work`. If it rejects, nothing was done, and this is refunded. */
  async refundIfRejected<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      await this.refund()
      throw error
    }
  }

  private async reset(takenOff: (bucket: Bucket) => boolean): Promise<void> {
    const ofAccount = this.counted.filter(({ isOfAccount }) => isOfAccount)
    await Promise.all([
      this.counters.forget([...ofAccount, ...ofAccount.map(timesFullOf)]),
      this.takeOff(takenOff),
    ])
  }

  private takeOff(which: (bucket: Bucket) => boolean): Promise<void> {
    return this.counters.takeOff(this.counted.filter(which))
  }
}

/** Repeating an alarm says nothing new, and a flood must not fill the log. */
const LOG_EVERY_MS = 60_000
/** What an alarm calls each kind of action. */
const WORDS: Readonly<Partial<Record<LimitedKind, string>>> = {
  password: 'wrong passwords',
  passkey: 'wrong passkeys',
  link: 'wrong links',
  mail: 'requests for a mail',
}

/**
 * Logs when so much fails at one origin, or overall, that an operator should look. Nobody is refused because
 * of it: a counter that everybody shares would lock everybody out.
 */
class Alarms {
  private readonly logger = new Logger('RateLimits')
  private readonly throttles = new Map<string, Throttle>()

  raise({ kind, client }: LimitedAction, full: readonly CountedBucket[]): void {
    for (const { scope, points, windowSeconds } of full) {
      const where = scope === 'origin' ? `from ${client.origin ?? 'clients without an Origin'}` : 'in all'
      this.warn(`${kind} ${scope}`, `${points} ${WORDS[kind] ?? kind} ${where} within ${windowSeconds} s`)
    }
  }

  private warn(about: string, sentence: string): void {
    const throttle = this.throttles.get(about) ?? new Throttle(LOG_EVERY_MS)
    this.throttles.set(about, throttle)
    if (throttle.take()) this.logger.warn(`${sentence}; nobody is refused because of it`)
  }
}

@Module({
  imports: [AuditLogModule, RedisModule],
  providers: [
    {
      provide: Counters,
      inject: [RedisConnection],
      useFactory: (redis: RedisConnection | null) => new Counters(redis),
    },
    RateLimiter,
  ],
  exports: [RateLimiter],
})
export class RateLimitsModule {}

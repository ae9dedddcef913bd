import { Injectable } from '@nestjs/common'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/request.js'
import { countsOf, Metrics } from '../metrics.js'
import { Alarms } from './alarms.js'
import { bucketsOf, type FilledBucket, limitOf, timesFullKey, withCounts } from './buckets.js'
import { CountedAction } from './counted-action.js'
import { Counters } from './counters.js'
import { LIMITED_KINDS, type LimitedAction, type LimitedActor } from './limited-action.js'

/** How long to remember how often a bucket was full. */
const TIMES_FULL_SECONDS = 24 * 60 * 60

/**
 * Limits how often secrets can be guessed, mails triggered and rows written, by the rules in limit-rules.ts. Each
 * action is counted before it is carried out, atomically, so a hundred at once count as a hundred.
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
    const limits = buckets.map(limitOf)
    // An action that will certainly be refused is not counted, so that a flood creates no counters.
    const found = await this.counters.addUnlessFull(limits)
    if (!found.refund) {
      const isFull = ({ refuses, points, max }: FilledBucket) => refuses !== 'nobody' && points >= max
      await this.refuseIfFull(withCounts(buckets, found.counts).filter(isFull), action, isKnown)
    }
    const added = found.refund ? found : await this.counters.addEvenIfFull(limits)
    const filled = withCounts(buckets, added.counts)
    try {
      const over = filled.filter(({ points, max, refuses }) => refuses !== 'nobody' && points > max)
      await this.refuseIfFull(over, action, isKnown)
    } catch (refusal) {
      await added.refund()
      throw refusal
    }
    const alarming = filled.filter(({ points, max, refuses }) => refuses === 'nobody' && points >= max)
    if (alarming.length > 0) {
      this.overAlarm[action.kind]++
      this.alarms.raise(action, alarming)
    }
    await this.countTimesFull(filled)
    return new CountedAction(this.counters, buckets, added)
  }

  /**
   * Like {@link count}, for a mail that a logged-in user or an operator triggers: limited by user and account,
   * so that strangers cannot use up their limit.
   */
  countMailBy(actor: LimitedActor, recipient: string, client: Client): Promise<CountedAction> {
    return this.count(sentMail(actor, recipient, client))
  }

  /** The same for a mail that any user may have sent about themselves: it takes nothing from their account. */
  countMailAboutOneself(actor: LimitedActor, recipient: string, client: Client): Promise<CountedAction> {
    return this.count({ ...sentMail(actor, recipient, client), isAboutOneself: true })
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
    if (full.every(({ refuses }) => refuses === 'strangers') && (await isKnown())) return
    this.refusals[kind]++
    const { scope, msLeft } = fullest
    const detail = { kind, limit: scope, ...(subject.includes('@') && { email: subject }) }
    this.auditLog.enqueue(auditEvent({ ...actor, client }, 'rate.limit', detail), 'refused')
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

function sentMail(
  { userId, accountId, operator }: LimitedActor,
  recipient: string,
  client: Client,
): LimitedAction {
  const actor = { userId, accountId, ...(operator && { operator }) }
  return { kind: 'sent mail', subject: recipient, client, actor }
}

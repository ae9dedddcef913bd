import { setTimeout as sleep } from 'node:timers/promises'
import { causeMessage } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { EvictingServerError } from '../../platform/redis/redis.js'
import { mergeChanges, NO_CHANGES, type StoreChanges, sizeOf } from '../stores/session-store.js'
import { ForeignStoreError, LostStoreError, NotYetError, type ShardBefore } from './shard-recovery.js'

/** A server that is back should serve again at once. */
const TRY_AGAIN_MS = 100
const TRY_LATER_MS = 1_000
/** How often a shard that stays shut is logged. */
const LOG_EVERY_MS = 10_000
/** Above this many, changes are read from the database again instead of kept in memory. */
const MAX_WAITING = 10_000

/** Brings the shard up to date; resolves with the identity of its server. */
export type OpenShard = (before: ShardBefore) => Promise<string>

/** The state of a shard, for the log and for operators. */
export interface ShardStatus {
  readonly shard: string
  readonly isOpen: boolean
  /** When it was opened or shut, in milliseconds of performance.now(). */
  readonly since: number
  /** Why it is shut; while it is open, the last reason. */
  readonly reason: string
  /** How many sessions are named in the changes that it must still be told about. */
  readonly waiting: number
}

/** Keeps a shard from serving while it may lack the latest changes. */
export class ShardGate {
  /** Plain fields, because every request reads them. Only the gate itself writes them. */
  isOpen = false
  /** When it was last marked stale, as a number that increases across all shards. */
  staleAt = 0
  private wasOpen = false
  private since = performance.now()
  private reason = 'not checked yet'
  private lastLogAt = performance.now()
  private identity: string | null = null
  private waiting: StoreChanges = NO_CHANGES
  private isSettling = false
  private needsOperator = false

  constructor(
    private readonly shard: string,
    private readonly open: OpenShard,
    private readonly isOver: () => boolean,
    private readonly logger = new Logger('SessionStore'),
  ) {}

  /**
   * Whether it was opened on a server other than this one, or before this one became a replica (null means
   * that it is one now).
   */
  isOpenOnAnother(identity: string | null): boolean {
    return this.isOpen && this.identity !== identity
  }

  /** Whether it is open, or shut until an operator acts. */
  get isSettled(): boolean {
    return this.isOpen || this.needsOperator
  }

  /** Shuts it at once. It reopens when it has been brought up to date without being marked stale again meanwhile. */
  shut(staleAt: number, reason: string): void {
    this.staleAt = staleAt
    if (this.isOpen) {
      this.isOpen = false
      this.since = this.lastLogAt = performance.now()
      this.logger.warn(`Sessions on ${this.shard} are not served: ${reason}`)
    }
    this.reason = reason
    void this.settle()
  }

  /** Adds changes that the shard will be told about before it opens. */
  remember(changes: StoreChanges): void {
    this.waiting = mergeChanges(this.waiting, changes)
    if (sizeOf(this.waiting) <= MAX_WAITING) return
    this.waiting = NO_CHANGES
    this.forget()
  }

  /** Forgets which server it was opened on, so that its state is looked up before it opens. */
  forget(): void {
    this.identity = null
  }

  status(): ShardStatus {
    const { shard, isOpen, since, reason } = this
    return { shard, isOpen, since, reason, waiting: sizeOf(this.waiting) }
  }

  private async settle(): Promise<void> {
    if (this.isSettling) return
    this.isSettling = true
    while (!this.isOpen && !this.isOver()) await this.tryToOpen()
    this.isSettling = false
  }

  private async tryToOpen(): Promise<void> {
    const { staleAt, waiting, identity } = this
    try {
      const opened = await this.open({ identity, waiting })
      if (this.staleAt !== staleAt || this.waiting !== waiting) return
      this.identity = opened
      this.waiting = NO_CHANGES
      this.announce()
    } catch (error) {
      this.recordFailure(error as Error)
      await sleep(isSlow(error) ? TRY_LATER_MS : TRY_AGAIN_MS, undefined, { ref: false })
    }
  }

  private announce(): void {
    const milliseconds = Math.round(performance.now() - this.since)
    if (this.wasOpen) this.logger.warn(`Sessions on ${this.shard} are served again after ${milliseconds} ms`)
    this.isOpen = true
    this.needsOperator = false
    this.wasOpen = true
    this.since = performance.now()
  }

  private recordFailure(error: Error): void {
    this.reason = causeMessage(error)
    if (needsAnOperator(error)) this.logOnce()
    else if (performance.now() - this.lastLogAt >= LOG_EVERY_MS) this.logOutage()
  }

  private logOutage(): void {
    this.lastLogAt = performance.now()
    const seconds = Math.round((performance.now() - this.since) / 1_000)
    this.logger.error(`Sessions on ${this.shard} have not been served for ${seconds} s: ${this.reason}`)
  }

  private logOnce(): void {
    if (!this.needsOperator) this.logger.fatal(`Sessions on ${this.shard} cannot be served: ${this.reason}`)
    this.needsOperator = true
  }
}

/** Errors that do not go away by themselves. */
function needsAnOperator(error: unknown): boolean {
  return [LostStoreError, ForeignStoreError, EvictingServerError].some(kind => error instanceof kind)
}

function isSlow(error: unknown): boolean {
  return needsAnOperator(error) || error instanceof NotYetError
}

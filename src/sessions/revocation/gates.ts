import { setTimeout as sleep } from 'node:timers/promises'
import { causeMessage, unavailable } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { EvictingServerError, type RedisConnection } from '../../platform/redis/redis.js'
import type { FailedChanges } from '../redis-session.js'
import type { SessionHandle } from '../session.js'
import { mergeChanges, NO_CHANGES, type StoreChanges, sizeOf } from '../session-store.js'
import {
  ForeignStoreError,
  LostStoreError,
  NotYetError,
  type ShardBefore,
  type ShardRecovery,
} from './replay.js'

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

const LOOK_EVERY_MS = 20

/** What opens shards. */
type Recovery = Pick<ShardRecovery, 'recover' | 'hasMarkerFor'>

/**
 * Lets a shard serve only while it knows every change. All are shut until {@link watch} or {@link trust}. A
 * shard is stale when a connection to its master was lost or opened, when its master has been a replica
 * meanwhile, or when a change did not get through; the others keep serving.
 */
export class ShardGates {
  private readonly logger = new Logger('SessionStore')
  private readonly gates = new Map<string, ShardGate>()
  private recovery: Recovery | undefined
  private isTrusting = false
  private isClosed = false
  private staleCount = 0

  constructor(private readonly redis: RedisConnection) {
    redis.onStale((shard, reason) => this.markStale(shard, reason))
    redis.onServer((shard, identity) => {
      if (this.gates.get(shard)?.isOpenOnAnother(identity))
        this.markStale(shard, 'its server was or is a replica')
    })
  }

  /**
   * From now on `recovery` brings shards up to date, which opens them. Resolves when all that can open have
   * opened, at the latest after `patienceMs`.
   */
  async watch(recovery: Recovery, patienceMs: number): Promise<void> {
    this.recovery = recovery
    for (const shard of this.redis.shards()) this.markStale(shard, 'not checked yet')
    const until = performance.now() + patienceMs
    while (!this.areSettled() && performance.now() < until) await sleep(LOOK_EVERY_MS)
  }

  /** Serves whatever the store has; for operators' commands, which grant no access. */
  trust(): void {
    this.isTrusting = true
  }

  /** Throws `SESSION_STORE_UNAVAILABLE` while the shard of this key is shut. */
  assertOpen(key: string): void {
    if (!this.isTrusting && !this.gateOf(key)?.isOpen) throw unavailable('SESSION_STORE_UNAVAILABLE')
  }

  /** The same for all of them. */
  assertAllOpen(): void {
    if (!this.isTrusting && !this.areAllOpen()) throw unavailable('SESSION_STORE_UNAVAILABLE')
  }

  areAllOpen(): boolean {
    return this.redis.shards().every(shard => this.gates.get(shard)?.isOpen)
  }

  /**
   * The result of `work`. Throws like {@link assertOpen}, also when the shard was marked stale meanwhile,
   * because another server may have answered.
   */
  async serve<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.isTrusting) return work()
    this.assertOpen(key)
    const before = this.gateOf(key)
    const { staleCount } = this
    const answer = await work()
    // Slots move between shards, so the shard that has the key now may be the one that answered.
    if (!isOpenSince(before, staleCount) || !isOpenSince(this.gateOf(key), staleCount))
      throw unavailable('SESSION_STORE_UNAVAILABLE')
    return answer
  }

  /** Throws `SESSION_STORE_UNAVAILABLE` when a session may be missing because the store has lost its data. */
  async assertNothingLost(sid: SessionHandle, key: string): Promise<void> {
    if (this.isTrusting || (await this.recovery?.hasMarkerFor(sid))) return
    const shard = this.redis.shardOf(key)
    if (shard !== null) this.markStale(shard, 'data is missing', { mayHaveLost: true })
    throw unavailable('SESSION_STORE_UNAVAILABLE')
  }

  /** A change did not get through: the shard is told about it before it opens again. */
  remember({ shard, changes, error }: FailedChanges): void {
    if (shard === null) return
    this.gate(shard).remember(changes)
    this.markStale(shard, `a change did not get through: ${causeMessage(error)}`)
  }

  /** A shard may have lost data, although its connections are fine. */
  markStale(shard: string, reason: string, { mayHaveLost = false } = {}): void {
    const known = this.gates.get(shard)
    if (mayHaveLost) known?.forget()
    if (known) known.shut(++this.staleCount, reason)
    else this.gate(shard, reason)
  }

  /** Every shard may know changes that the database does not. */
  markAllStale(reason: string): void {
    for (const shard of this.redis.shards()) this.markStale(shard, reason, { mayHaveLost: true })
  }

  /** The open shards, and how often any shard has been stale so far: for {@link isOpenSince}. */
  openShards(): { readonly shards: readonly string[]; readonly staleCount: number } {
    return {
      shards: this.redis.shards().filter(shard => this.gate(shard).isOpen),
      staleCount: this.staleCount,
    }
  }

  isOpenSince(shard: string, staleCount: number): boolean {
    return isOpenSince(this.gates.get(shard), staleCount)
  }

  status(): ShardStatus[] {
    return this.redis.shards().map(shard => this.gate(shard).status())
  }

  close(): void {
    this.isClosed = true
  }

  private areSettled(): boolean {
    const shards = this.redis.shards()
    return shards.length > 0 && shards.every(shard => this.gates.get(shard)?.isSettled)
  }

  private gateOf(key: string): ShardGate | undefined {
    const shard = this.redis.shardOf(key)
    return shard === null ? undefined : this.gate(shard)
  }

  /** An unknown shard starts shut. */
  private gate(shard: string, reason = 'a new server'): ShardGate {
    const known = this.gates.get(shard)
    if (known) return known
    const gate = new ShardGate(
      shard,
      async before => {
        if (!this.recovery) throw new Error('recovery has not started yet')
        return this.recovery.recover(shard, before)
      },
      () => this.isOver(shard),
      this.logger,
    )
    this.gates.set(shard, gate)
    gate.shut(++this.staleCount, reason)
    return gate
  }

  /** Nothing waits for a server that is no longer a master. */
  private isOver(shard: string): boolean {
    const isOver = this.isClosed || !this.redis.shards().includes(shard)
    if (isOver) this.gates.delete(shard)
    return isOver || !this.recovery
  }
}

/** Whether it is open, and has not been marked stale since this count. */
export function isOpenSince(gate: ShardGate | undefined, staleCount: number): boolean {
  return gate?.isOpen === true && gate.staleAt <= staleCount
}

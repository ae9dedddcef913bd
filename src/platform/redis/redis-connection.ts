import type { OnApplicationShutdown } from '@nestjs/common'
import { unavailable } from '../errors/api-error.js'
import { Logger } from '../log.js'
import { Durations } from '../metrics.js'
import { Throttle, within } from '../time.js'
import { Tracing } from '../tracing.js'
import { isOutage, OUTAGE_REPLIES } from './outage.js'
import type { RedisClient, RedisCommands, ServerAddress, ServerCommands } from './redis-client.js'
import { evaluate, type RedisScript } from './redis-script.js'
import { ReplicaPolicies } from './replica-policies.js'
import { EvictingServerError, mayEvict, readServerFacts, type ServerFacts } from './server-facts.js'

/** Most answers come within a millisecond; SESSION_STORE_TIMEOUT_MS ends the wait. */
const BOUNDS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000]

/** Enough, because a server that is still loading its data says so. */
const CONNECT_TIMEOUT_MS = 5_000
/** For commands that no request waits for. */
const BACKGROUND_TIMEOUT_MS = 2_000
const MAINTAIN_EVERY_MS = 1_000
/** A server that is permanently a replica must not cause a reconnect on every request. */
const LEAVE_EVERY_MS = 1_000
/** The redis package repeats a connection error for every attempt; one line is enough. */
const LOG_EVERY_MS = 10_000

/** The only connection to Redis. An outage, or a missing answer, becomes `SESSION_STORE_UNAVAILABLE` (503). */
export class RedisConnection implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis')
  private readonly errorLines = new Throttle(LOG_EVERY_MS)
  private readonly departures = new Throttle(LEAVE_EVERY_MS)
  private isClosing = false
  private maintenance: NodeJS.Timeout | undefined
  readonly durations = new Durations(
    'store_duration_seconds',
    'How long Redis took to answer a request, failures included',
    BOUNDS_MS,
  )
  private onInfo: (shard: string, info: string) => void = () => {}
  /** Whether the replicas of {@link ServerFacts} may take over. */
  readonly replicaPolicies: ReplicaPolicies

  /** `timeoutMs` is the limit of each answer. {@link openRedis} connects. */
  constructor(
    private readonly client: RedisClient,
    readonly timeoutMs: number,
    private readonly tracing = new Tracing(),
  ) {
    this.replicaPolicies = new ReplicaPolicies(client)
    client.onError(reason => this.logError(reason))
  }

  /** A single attempt. Throws an Error when there is no usable server, or when one may evict sessions. */
  async connect(): Promise<void> {
    await within(CONNECT_TIMEOUT_MS, this.client.connect())
    const facts = await Promise.allSettled(this.shards().map(shard => this.factsOf(shard)))
    const replicas: ServerAddress[] = []
    for (const found of facts) {
      // One unreachable master among several does not keep the others from serving.
      if (found.status === 'rejected' && this.isFinal(found.reason)) throw found.reason
      if (found.status !== 'fulfilled') continue
      replicas.push(...found.value.replicas)
      if (found.value.maxmemoryPolicy === null)
        this.logger.warn('The server does not report its maxmemory-policy; make sure that it is noeviction')
    }
    await this.replicaPolicies.require(replicas)
    // After this process was suspended, timers run before the answers that have already arrived are read.
    const maintain = () => this.client.maintain(this.onInfo)
    this.maintenance = setInterval(() => setImmediate(maintain), MAINTAIN_EVERY_MS).unref()
  }

  /** Whether waiting is pointless: a wrong password, or a server that may evict sessions. */
  isFinal(error: unknown): boolean {
    if (error instanceof EvictingServerError) return true
    const reply = this.client.replyOf(error)
    return reply !== null && !OUTAGE_REPLIES.test(reply)
  }

  /** The client itself, for libraries that want one. */
  get commands(): RedisCommands {
    return this.client.commands
  }

  run<T>(work: (commands: RedisCommands) => Promise<T>): Promise<T> {
    return this.tracing.isOn ? this.tracing.span('store', () => this.ask(work)) : this.ask(work)
  }

  /** Runs a script where its keys are: {@link evaluate}. */
  runScript(script: RedisScript, keys: string | string[], args: readonly string[]): Promise<unknown> {
    return this.run(commands => evaluate(commands, script, keys, args))
  }

  get isCluster(): boolean {
    return typeof this.client.shards !== 'string'
  }

  /** The masters that share the keys; just one, except in a cluster. */
  shards(): readonly string[] {
    const { shards } = this.client
    return typeof shards === 'string' ? [shards] : shards.all()
  }

  /** The shard that has the key, or would have it; null while no server has its slot. */
  shardOf(key: string): string | null {
    const { shards } = this.client
    return typeof shards === 'string' ? shards : shards.of(key)
  }

  /** Runs `work` on the master of this shard; nothing is redirected to a server that has taken over. */
  async onShard<T>(shard: string, work: (server: ServerCommands) => Promise<T>): Promise<T> {
    try {
      return await within(BACKGROUND_TIMEOUT_MS, this.client.server(shard).then(work))
    } catch (error) {
      throw this.asUnavailable(error)
    }
  }

  /** What the server of this shard says about itself. Throws {@link EvictingServerError}. */
  async factsOf(shard: string): Promise<ServerFacts> {
    const facts = readServerFacts(await this.onShard(shard, async server => String(await server.info())))
    if (!facts.isMaster) this.leaveReplica()
    if (mayEvict(facts)) throw new EvictingServerError(facts.maxmemoryPolicy)
    return facts
  }

  /** `listener` is called when a shard may have lost its newest writes. */
  onStale(listener: (shard: string, reason: string) => void): void {
    this.client.onStale((shard, reason) => {
      if (!this.isClosing) listener(shard, reason)
    })
  }

  /**
   * `listener` is called every second with the server that has the shard ({@link ServerFacts.identity}); null
   * means that it is a replica.
   */
  onServer(listener: (shard: string, identity: string | null) => void): void {
    this.onInfo = (shard, info) => {
      const { isMaster, identity } = readServerFacts(info)
      listener(shard, isMaster ? identity : null)
    }
  }

  onApplicationShutdown(): void {
    this.isClosing = true
    clearInterval(this.maintenance)
    try {
      this.client.close()
    } catch {
      // It was never open.
    }
  }

  private async ask<T>(work: (commands: RedisCommands) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await within(this.timeoutMs, work(this.client.commands))
    } catch (error) {
      if (this.client.replyOf(error)?.startsWith('READONLY')) this.leaveReplica()
      throw this.asUnavailable(error)
    } finally {
      this.durations.observe(performance.now() - startedAt)
    }
  }

  private asUnavailable(error: unknown): unknown {
    const isDown = isOutage(error, this.client.replyOf(error))
    return isDown ? unavailable('SESSION_STORE_UNAVAILABLE', error) : error
  }

  /** A managed address leads to the new master after a failover, but only for new connections. */
  private leaveReplica(): void {
    if (!this.departures.take()) return
    this.logError('the server has become a replica')
    this.client.leaveReplica()
  }

  private logError(reason: string): void {
    if (!this.isClosing && this.errorLines.take()) this.logger.error(`Redis connection error: ${reason}`)
  }
}

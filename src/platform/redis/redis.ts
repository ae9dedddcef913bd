import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Module, type OnApplicationShutdown } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { OpenConnections } from '../database/connection.js'
import { ApiError, causeMessage, StartError, unavailable } from '../errors/api-error.js'
import { Logger } from '../log.js'
import { durations, Metrics } from '../metrics.js'
import { Throttle, within } from '../time.js'
import { Tracing } from '../tracing.js'
import {
  createRedisClient,
  type RedisClient,
  type RedisCommands,
  replyOf,
  type ServerAddress,
  type ServerCommands,
} from './redis-client.js'

/** The server may evict sessions when it is full, which would log people out. */
export class EvictingServerError extends Error {
  constructor(policy: string, replica?: ServerAddress) {
    const whose = replica ? `the maxmemory-policy of its replica ${nameOf(replica)}` : 'its maxmemory-policy'
    super(`${whose} is ${policy}; it must be noeviction`)
    this.name = 'EvictingServerError'
  }
}

/** What a server says about itself. */
export interface ServerFacts {
  readonly isMaster: boolean
  /**
   * Stays the same as long as it is the same process and has not followed another master (`run_id` and
   * `master_replid` in INFO). Such a server has every write that it ever acknowledged.
   */
  readonly identity: string
  /** Null where it is not reported, as on some hosted servers. */
  readonly maxmemoryPolicy: string | null
  /** The addresses of its replicas, as it sees them. */
  readonly replicas: readonly ServerAddress[]
}

/** Parses the reply to INFO. The policy is in its section `memory`. */
export function readServerFacts(info: string): ServerFacts {
  const field = (name: string) => infoField(info, name)
  return {
    isMaster: field('role') === 'master',
    identity: `${field('run_id') ?? ''} ${field('master_replid') ?? ''}`,
    maxmemoryPolicy: field('maxmemory_policy'),
    replicas: [...info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+)/gm)].map(([, host, port]) => ({
      host: host as string,
      port: Number(port),
    })),
  }
}

/** A field of the reply to INFO; null where the server hides it, as some hosted ones do. */
export function infoField(info: string, field: string): string | null {
  return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null
}

/** Whether it is known to evict keys when it is full. */
function mayEvict(facts: ServerFacts): facts is ServerFacts & { readonly maxmemoryPolicy: string } {
  return facts.maxmemoryPolicy !== null && facts.maxmemoryPolicy !== 'noeviction'
}

export function nameOf({ host, port }: ServerAddress): string {
  return `${host}:${port}`
}

/** Replies that mean "cannot serve now", not "wrong command". */
const OUTAGE_REPLIES =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY|UNKILLABLE)/

/** Whether Redis cannot serve now. `reply` is the error that it answered with, null if it did not answer. */
function isOutage(error: unknown, reply: string | null): boolean {
  if (reply !== null) return OUTAGE_REPLIES.test(reply)
  // The package's error for a key whose slot no server has.
  if (error instanceof TypeError) return /undefined \(reading 'master'\)/.test(error.message)
  return !(error instanceof ApiError || error instanceof EvictingServerError)
}

/** A Lua script, called by its hash. */
export interface RedisScript {
  readonly lua: string
  readonly sha: string
}

export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/**
 * Runs a script in one round trip; sends its text only when the server does not have it. In a cluster, all keys of a
 * script must be in one slot.
 */
export async function evaluate(
  server: Pick<ServerCommands, 'eval' | 'evalSha'>,
  { sha, lua }: RedisScript,
  keys: string | string[],
  args: readonly string[],
): Promise<unknown> {
  const options = { keys: typeof keys === 'string' ? [keys] : keys, arguments: [...args] }
  try {
    return await server.evalSha(sha, options)
  } catch (error) {
    if (replyOf(error)?.startsWith('NOSCRIPT')) return server.eval(lua, options)
    throw error
  }
}

/** The start waits for this, and often only the master can reach the replicas. */
const CONFIG_TIMEOUT_MS = 1_000

/** Whether replicas may evict sessions. They do not evict while they are replicas, but would once they take over. */
class ReplicaPolicies {
  private readonly logger = new Logger('Redis')
  private isAsking = false

  constructor(private readonly client: Pick<RedisClient, 'connectTo'>) {}

  /** Throws {@link EvictingServerError} when one may evict sessions; warns about those that cannot be asked. */
  async require(replicas: readonly ServerAddress[]): Promise<void> {
    for (const { replica, policy, problem } of await this.ask(replicas)) {
      if (policy !== null) throw new EvictingServerError(policy, replica)
      if (problem !== null)
        this.logger.warn(
          `The replica ${nameOf(replica)} cannot be asked for its maxmemory-policy (${problem}); make sure that it is noeviction`,
        )
    }
  }

  /** Logs when one may evict sessions. Never throws. */
  async report(replicas: readonly ServerAddress[]): Promise<void> {
    if (this.isAsking) return
    this.isAsking = true
    const answers = await this.ask(replicas)
    this.isAsking = false
    for (const { replica, policy } of answers)
      if (policy !== null)
        this.logger.error(
          `The replica ${nameOf(replica)} must not take over: its maxmemory-policy is ${policy}; it must be noeviction`,
        )
  }

  private ask(replicas: readonly ServerAddress[]) {
    return Promise.all(
      replicas.map(async replica => {
        try {
          return { replica, policy: await this.evictingPolicyOf(replica), problem: null }
        } catch (error) {
          return { replica, policy: null, problem: (error as Error).message }
        }
      }),
    )
  }

  private async evictingPolicyOf(replica: ServerAddress): Promise<string | null> {
    const server = this.client.connectTo(replica)
    // The affected command throws the error too.
    server.on('error', () => {})
    try {
      const facts = await within(
        CONFIG_TIMEOUT_MS,
        server
          .connect()
          .then(async () => readServerFacts(String(await server.sendCommand(['INFO', 'memory'])))),
      )
      if (facts.maxmemoryPolicy === null) throw new Error('it does not report it')
      return mayEvict(facts) ? facts.maxmemoryPolicy : null
    } finally {
      server.destroy()
    }
  }
}

/** Most answers come within a millisecond; SESSION_STORE_TIMEOUT_MS ends the wait. */
const BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

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
  readonly durations = durations(
    'store_duration_seconds',
    'How long Redis took to answer a request, failures included',
    BUCKETS,
    [{}],
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
    const end = this.durations.startTimer()
    try {
      return await within(this.timeoutMs, work(this.client.commands))
    } catch (error) {
      if (this.client.replyOf(error)?.startsWith('READONLY')) this.leaveReplica()
      throw this.asUnavailable(error)
    } finally {
      end()
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

/** How long to look for a usable server at start, because machines start in any order. */
const OPEN_WITHIN_MS = 30_000
const RETRY_EVERY_MS = 500

/** Provides the {@link RedisConnection}, or null where SESSION_STORE_URL is empty. */
@Module({
  providers: [
    {
      provide: RedisConnection,
      inject: [Settings, OpenConnections, Metrics, Tracing],
      useFactory: async (
        { sessionStoreUrl: url, sessionStoreTimeoutMs }: Settings,
        connections: OpenConnections,
        metrics: Metrics,
        tracing: Tracing,
      ) => {
        if (!url) return null
        const { signal } = connections
        const redis = await connections.track(openRedis(url, sessionStoreTimeoutMs, { signal, tracing }))
        metrics.histogram(redis.durations)
        return redis
      },
    },
  ],
  exports: [RedisConnection],
})
export class RedisModule {}

/**
 * Connects to `url`, allowing `timeoutMs` for each answer; waits up to 30 s for a server. Throws an Error
 * when there is none, or when one may evict sessions. Stops waiting when `signal` aborts.
 */
export async function openRedis(
  url: string,
  timeoutMs: number,
  { signal, tracing }: { signal?: AbortSignal; tracing?: Tracing } = {},
): Promise<RedisConnection> {
  const giveUpAt = performance.now() + OPEN_WITHIN_MS
  for (let attempt = 1; ; attempt++) {
    const connection = new RedisConnection(createRedisClient(url), timeoutMs, tracing)
    try {
      await connection.connect()
      return connection
    } catch (cause) {
      connection.onApplicationShutdown()
      const reason = causeMessage(cause)
      if (connection.isFinal(cause) || performance.now() > giveUpAt || signal?.aborted)
        throw new StartError(`The session store cannot be used: ${reason}`, { cause })
      if (attempt === 1) new Logger('Redis').warn(`Waiting for the session store: ${reason}`)
      await sleep(RETRY_EVERY_MS)
    }
  }
}

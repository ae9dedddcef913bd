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
import { createRedisClient, type RedisClient, type RedisCommands, replyOf } from './redis-client.js'

/** Replies that mean "cannot serve now", not "wrong command". */
const OUTAGE_REPLIES =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY|UNKILLABLE)/

/** Whether Redis cannot serve now. `reply` is the error that it answered with, null if it did not answer. */
function isOutage(error: unknown, reply: string | null): boolean {
  if (reply !== null) return OUTAGE_REPLIES.test(reply)
  // The package's error for a key whose slot no server has.
  if (error instanceof TypeError) return /undefined \(reading 'master'\)/.test(error.message)
  return !(error instanceof ApiError)
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
  server: Pick<RedisCommands, 'eval' | 'evalSha'>,
  { sha, lua }: RedisScript,
  key: string,
  args: readonly string[],
): Promise<unknown> {
  const options = { keys: [key], arguments: [...args] }
  try {
    return await server.evalSha(sha, options)
  } catch (error) {
    if (replyOf(error)?.startsWith('NOSCRIPT')) return server.eval(lua, options)
    throw error
  }
}

/** Most answers come within a millisecond; SESSION_STORE_TIMEOUT_MS ends the wait. */
const BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

/** Enough, because a server that is still loading its data says so. */
const CONNECT_TIMEOUT_MS = 5_000
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
  private client: RedisClient
  private isConnected = false
  private isClosing = false
  private maintenance: NodeJS.Timeout | undefined
  /** For libraries that want a client. */
  readonly commands: RedisCommands
  readonly durations = durations(
    'store_duration_seconds',
    'How long Redis took to answer a request, failures included',
    BUCKETS,
    [{}],
  )

  /** `timeoutMs` is the limit of each answer. {@link openRedis} connects. */
  constructor(
    private readonly url: string,
    readonly timeoutMs: number,
    private readonly tracing = new Tracing(),
  ) {
    this.client = createRedisClient(url)
    this.commands = clientOf(() => this.client)
  }

  /**
   * Connects; where no server answers for some seconds, goes on trying in the background, because all that Redis has can be
   * done without. Throws a {@link StartError} when waiting is pointless, as with a wrong password, or when `signal` aborts.
   */
  async open(signal?: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + OPEN_WITHIN_MS
    for (let isFirst = true; !this.isConnected; isFirst = false) {
      const cause = await this.tryToConnect()
      if (cause === null) return
      const reason = causeMessage(cause)
      if (this.isFinal(cause) || signal?.aborted)
        throw new StartError(`Redis cannot be used: ${reason}`, { cause })
      if (performance.now() > giveUpAt) {
        this.logger.error(`Starting without Redis, which is tried again every half a second: ${reason}`)
        void this.keepTrying()
        return
      }
      if (isFirst) this.logger.warn(`Waiting for Redis: ${reason}`)
      await sleep(RETRY_EVERY_MS)
    }
  }

  private async keepTrying(): Promise<void> {
    while (!this.isClosing && (await this.tryToConnect()) !== null)
      await sleep(RETRY_EVERY_MS, undefined, { ref: false })
    if (this.isConnected) this.logger.warn('Redis answers')
  }

  /** A single attempt, with a client of its own; returns why it failed, null when it has not. */
  private async tryToConnect(): Promise<unknown> {
    this.client = createRedisClient(this.url)
    this.client.onError(reason => this.logError(reason))
    try {
      await within(CONNECT_TIMEOUT_MS, this.client.connect())
    } catch (error) {
      this.closeClient()
      return error
    }
    if (this.isClosing) {
      this.closeClient()
      return null
    }
    this.isConnected = true
    // After this process was suspended, timers run before the answers that have already arrived are read.
    const maintain = () => this.client.maintain()
    this.maintenance = setInterval(() => setImmediate(maintain), MAINTAIN_EVERY_MS).unref()
    return null
  }

  private isFinal(error: unknown): boolean {
    const reply = this.client.replyOf(error)
    return reply !== null && !OUTAGE_REPLIES.test(reply)
  }

  run<T>(work: (commands: RedisCommands) => Promise<T>): Promise<T> {
    return this.tracing.isOn ? this.tracing.span('store', () => this.ask(work)) : this.ask(work)
  }

  /** Runs a script where its keys are: {@link evaluate}. */
  runScript(script: RedisScript, key: string, args: readonly string[]): Promise<unknown> {
    return this.run(commands => evaluate(commands, script, key, args))
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

  onApplicationShutdown(): void {
    this.isClosing = true
    clearInterval(this.maintenance)
    this.closeClient()
  }

  private closeClient(): void {
    try {
      this.client.close()
    } catch {
      // It was never open.
    }
  }

  private async ask<T>(work: (commands: RedisCommands) => Promise<T>): Promise<T> {
    if (!this.isConnected) throw unavailable('SESSION_STORE_UNAVAILABLE', new Error('not connected yet'))
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

/** How long a start waits for a server, because machines start in any order. */
const OPEN_WITHIN_MS = 5_000
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

/** A connection to `url` that allows `timeoutMs` for each answer: {@link RedisConnection.open}. */
export async function openRedis(
  url: string,
  timeoutMs: number,
  { signal, tracing }: { signal?: AbortSignal; tracing?: Tracing } = {},
): Promise<RedisConnection> {
  const connection = new RedisConnection(url, timeoutMs, tracing)
  try {
    await connection.open(signal)
    return connection
  } catch (error) {
    connection.onApplicationShutdown()
    throw error
  }
}

/** Whatever client there is at the time of each call. */
function clientOf(current: () => RedisClient): RedisCommands {
  return new Proxy({} as RedisCommands, {
    get: (_, name) => {
      const { commands } = current()
      const value: unknown = Reflect.get(commands, name, commands)
      return typeof value === 'function' ? value.bind(commands) : value
    },
  })
}

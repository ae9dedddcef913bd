import { createHash } from 'node:crypto'
import { Logger, type OnApplicationShutdown } from '@nestjs/common'
import type { RedisClientType } from 'redis'
import { ApiError, unavailable } from '../errors/api-error.js'
import { watchConnections } from './connection-watch.js'
import type { RedisClient, RedisCommands } from './redis-client.js'

/** A Lua script of one key, run by its hash. */
export interface RedisScript {
  readonly lua: string
  readonly sha: string
}

export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/** At start we wait this long for a server before giving up. */
const CONNECT_TIMEOUT_MS = 5_000
/** A server that is a replica for good is not to be called up with every request. */
const LEAVE_EVERY_MS = 1_000
/** The redis package repeats connection errors for every attempt; one line says it. */
const LOG_EVERY_MS = 10_000

/** Replies by which a server says that it cannot serve now, not that the command was wrong. */
const OUTAGE_REPLIES =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY|UNKILLABLE)/

/** The one connection to Redis. An outage, or no answer in time, becomes `SESSION_STORE_UNAVAILABLE` (503) here. */
export class RedisConnection implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis')
  private lastLogAt = Number.NEGATIVE_INFINITY
  private lastLeftAt = Number.NEGATIVE_INFINITY
  private isClosing = false
  private readonly endWatch: () => void

  private constructor(
    private readonly client: RedisClient,
    private readonly timeoutMs: number,
  ) {
    client.onTrouble(reason => this.logTrouble(reason))
    this.endWatch = watchConnections(() => client.watched())
  }

  /** Connects to `url`, to wait `timeoutMs` for every answer; throws an Error when no server answers or a server may evict sessions. */
  static async open(url: string, timeoutMs: number): Promise<RedisConnection> {
    // Loaded only where it is used.
    const { createRedisClient } = await import('./redis-client.js')
    const client = createRedisClient(url)
    const connection = new RedisConnection(client, timeoutMs)
    try {
      await within(CONNECT_TIMEOUT_MS, client.connect())
      await connection.refuseEviction()
      return connection
    } catch (cause) {
      connection.onApplicationShutdown()
      throw new Error(`The session store cannot be used: ${(cause as Error).message}`, { cause })
    }
  }

  /** The client itself, for libraries that want one. */
  get commands(): RedisCommands {
    return this.client.commands
  }

  async run<T>(work: (commands: RedisCommands) => Promise<T>): Promise<T> {
    try {
      return await within(this.timeoutMs, work(this.client.commands))
    } catch (error) {
      if (this.client.replyOf(error)?.startsWith('READONLY')) this.leaveReplica()
      throw this.asUnavailable(error)
    }
  }

  /** Runs a script in one round trip; sends its text only when the server does not know it yet. */
  runScript(script: RedisScript, key: string, args: readonly string[]): Promise<unknown> {
    const options = { keys: [key], arguments: [...args] }
    return this.run(async commands => {
      try {
        return await commands.evalSha(script.sha, options)
      } catch (error) {
        if (this.client.replyOf(error)?.startsWith('NOSCRIPT')) return commands.eval(script.lua, options)
        throw error
      }
    })
  }

  /** Calls `visit` with every key of the pattern, on every master; takes as long as it takes. */
  async eachKey(pattern: string, visit: (key: string) => Promise<void>): Promise<void> {
    try {
      for (const master of await this.client.masters())
        for await (const keys of master.scanIterator({ MATCH: pattern, COUNT: 500 }))
          for (const key of keys) await visit(key)
    } catch (error) {
      throw this.asUnavailable(error)
    }
  }

  /** `listener` hears that the server may have lost its newest writes. */
  onDoubt(listener: () => void): void {
    this.client.onDoubt(listener)
  }

  onApplicationShutdown(): void {
    this.isClosing = true
    this.endWatch()
    try {
      this.client.close()
    } catch {
      // It was never open.
    }
  }

  /** With any policy but noeviction a full server throws sessions away, which logs people out. */
  private async refuseEviction(): Promise<void> {
    for (const master of await this.client.masters()) {
      const policy = await this.maxmemoryPolicy(master)
      if (policy === null)
        this.logger.warn('The server hides its maxmemory-policy; make sure that it is noeviction')
      else if (policy !== 'noeviction')
        throw new Error(`its maxmemory-policy is ${policy}, it must be noeviction`)
    }
  }

  /** Null where CONFIG is not allowed, as on some hosted servers. */
  private async maxmemoryPolicy(master: RedisClientType): Promise<string | null> {
    try {
      const { 'maxmemory-policy': policy } = await master.configGet('maxmemory-policy')
      return policy ?? null
    } catch (error) {
      if (this.client.replyOf(error) !== null) return null
      throw error
    }
  }

  private asUnavailable(error: unknown): unknown {
    return this.isOutage(error) ? unavailable('SESSION_STORE_UNAVAILABLE', error) : error
  }

  private isOutage(error: unknown): boolean {
    const reply = this.client.replyOf(error)
    if (reply !== null) return OUTAGE_REPLIES.test(reply)
    return !(error instanceof ApiError || error instanceof TypeError)
  }

  /** The address of a managed Redis that failed over leads to the new master, but only for new connections. */
  private leaveReplica(): void {
    if (performance.now() - this.lastLeftAt < LEAVE_EVERY_MS) return
    this.lastLeftAt = performance.now()
    this.logTrouble('the server has become a replica')
    this.client.leaveReplica()
  }

  private logTrouble(reason: string): void {
    if (this.isClosing || performance.now() - this.lastLogAt < LOG_EVERY_MS) return
    this.lastLogAt = performance.now()
    this.logger.error(`Connection trouble: ${reason}`)
  }
}

/** Rejects when `work` takes longer, by the answers that have arrived: after a stall of our own, timers run before sockets are read. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer in ${milliseconds} ms`))
    const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
    work.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

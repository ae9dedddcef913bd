import { within } from '../clock/time-limit.js'
import { Logger } from '../log/logger.js'
import type { RedisClient, ServerAddress } from './redis-client.js'

/** The server may evict sessions when it is full, which would log people out. */
export class EvictingServerError extends Error {
  constructor(policy: string, replica?: ServerAddress) {
    const whose = replica ? `the maxmemory-policy of its replica ${nameOf(replica)}` : 'its maxmemory-policy'
    super(`${whose} is ${policy}, it must be noeviction`)
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
export function mayEvict(facts: ServerFacts): facts is ServerFacts & { readonly maxmemoryPolicy: string } {
  return facts.maxmemoryPolicy !== null && facts.maxmemoryPolicy !== 'noeviction'
}

export function nameOf({ host, port }: ServerAddress): string {
  return `${host}:${port}`
}

/** The start waits for this, and often only the master can reach the replicas. */
const PATIENCE_MS = 1_000

/** Whether replicas may evict sessions. They do not evict while they are replicas, but would once they take over. */
export class ReplicaPolicies {
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
          `The replica ${nameOf(replica)} must not take over: its maxmemory-policy is ${policy}, it must be noeviction`,
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
        PATIENCE_MS,
        server
          .connect()
          .then(async () => readServerFacts(String(await server.sendCommand(['INFO', 'memory'])))),
      )
      if (facts.maxmemoryPolicy === null) throw new Error('it hides it')
      return mayEvict(facts) ? facts.maxmemoryPolicy : null
    } finally {
      server.destroy()
    }
  }
}

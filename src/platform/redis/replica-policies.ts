import { Logger } from '../log.js'
import { within } from '../time.js'
import type { RedisClient, ServerAddress } from './redis-client.js'
import { EvictingServerError, mayEvict, nameOf, readServerFacts } from './server-facts.js'

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
        PATIENCE_MS,
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

import { Database } from '../../platform/database/database.js'
import { RedisConnection } from '../../platform/redis/redis.js'
import { RedisChanges } from '../stores/redis-changes.js'
import { ChangeApplier } from './change-applier.js'
import type { ChangeHistory } from './change-history.js'
import { ChangeReplay } from './change-replay.js'
import { type Acceptance, type AcceptedShard, LossAcceptance } from './loss-acceptance.js'
import { Markers } from './markers.js'
import type { ShardStatus } from './shard-gate.js'
import { ShardGates } from './shard-gates.js'
import { ShardRecovery } from './shard-recovery.js'

/** How long the start waits for slow servers; after that, it serves what is available. */
const PATIENCE_MS = 10_000

/** Makes sure that a Redis with sessions serves nothing that has ended, and that data loss is noticed. */
export class StoreSupervisor {
  readonly gates: ShardGates
  private readonly recovery: ShardRecovery
  private readonly acceptance: LossAcceptance
  private readonly applier: ChangeApplier

  constructor(redis: RedisConnection, database: Database, history: ChangeHistory) {
    const changes = new RedisChanges(redis)
    const replay = new ChangeReplay(history, changes)
    this.gates = new ShardGates(redis)
    const markers = new Markers(redis, database, history)
    this.recovery = new ShardRecovery(redis, database, history, replay, markers)
    this.acceptance = new LossAcceptance(redis, database, history, replay, markers)
    this.applier = new ChangeApplier(database, history, markers, changes, this.gates)
  }

  /** For the service: resolves when every shard that can serve is open. */
  async start(): Promise<void> {
    await this.gates.watch(this.recovery, PATIENCE_MS)
    this.applier.start()
  }

  /**
   * Accepts what is left of a store that lost its data, and takes over one that belonged to another
   * installation; running services open by themselves. See {@link LossAcceptance.accept}.
   */
  acceptLoss({
    isRestored = false,
    onWait = () => {},
  }: Partial<Acceptance> = {}): Promise<readonly AcceptedShard[]> {
    return this.acceptance.accept({ isRestored, onWait })
  }

  /** The state of each shard. */
  status(): ShardStatus[] {
    return this.gates.status()
  }

  onApplicationShutdown(): void {
    this.applier.close()
    this.gates.close()
  }
}

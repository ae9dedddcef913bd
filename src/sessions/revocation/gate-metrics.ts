import { Inject, Injectable } from '@nestjs/common'
import { Metrics } from '../../platform/metrics.js'
import type { ShardStatus } from './shard-gate.js'
import { StoreSupervisor } from './store-supervisor.js'

/** Reports the gates of the Redis shards, numbered in the order of their addresses. */
@Injectable()
export class GateMetrics {
  constructor(
    /** Null where sessions are in the database. */
    @Inject(StoreSupervisor) private readonly supervisor: StoreSupervisor | null,
    metrics: Metrics,
  ) {
    metrics.gauge({
      name: 'store_gate_open',
      help: 'Whether the sessions of the shard are served: 1 or 0',
      label: 'shard',
      read: () => this.byShard(({ isOpen }) => (isOpen ? 1 : 0)),
    })
    metrics.gauge({
      name: 'store_gate_since_timestamp_seconds',
      help: 'Since when the gate of the shard has been open or shut, in seconds since 1970',
      label: 'shard',
      read: () => this.byShard(({ since }) => (performance.timeOrigin + since) / 1000),
    })
    metrics.gauge({
      name: 'store_changes_waiting',
      help: 'Changes, such as logouts, that the shard has to be told of before its gate opens',
      label: 'shard',
      read: () => this.byShard(({ waiting }) => waiting),
    })
  }

  private byShard(value: (status: ShardStatus) => number): Record<string, number> {
    const shards =
      this.supervisor?.status().toSorted((one, other) => (one.shard < other.shard ? -1 : 1)) ?? []
    return Object.fromEntries(shards.map((status, index) => [String(index), value(status)]))
  }
}

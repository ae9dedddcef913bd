import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.js'
import { infoField, redisCli } from '../../support/redis/redis-cli.js'
import type { RedisCluster } from '../../support/redis/redis-cluster.js'
import { isReplicaInStep, type RedisServer } from '../../support/redis/redis-server.js'

/** A third of the copies: a master and its replica, whichever of the two nodes is which now. */
export class Shard {
  private constructor(private readonly nodes: readonly [RedisServer, RedisServer]) {}

  static async allOf(cluster: RedisCluster): Promise<Shard[]> {
    const shards: Shard[] = []
    for (const master of cluster.nodes) {
      const info = await redisCli(master.port, 'INFO', 'replication')
      const port = Number(/slave0:ip=127\.0\.0\.1,port=(\d+)/.exec(info)?.[1])
      const replica = cluster.nodes.find(node => node.port === port)
      if (replica) shards.push(new Shard([master, replica]))
    }
    return shards
  }

  get ports(): number[] {
    return this.nodes.map(({ port }) => port)
  }

  /** Waits until there is one of each, in step. */
  roles(): Promise<{ master: RedisServer; replica: RedisServer }> {
    return eventually(
      async () => {
        const roles = await Promise.all(this.nodes.map(({ port }) => roleOf(port)))
        const [master, replica] = roles[0] === 'master' ? this.nodes : [...this.nodes].reverse()
        if (roles.filter(role => role === 'master').length !== 1) return undefined
        return (await isReplicaInStep(replica!.port)) && { master: master!, replica: replica! }
      },
      { what: 'a shard to have its master and its replica', timeoutMs: 60_000, everyMs: 50 },
    ) as Promise<{ master: RedisServer; replica: RedisServer }>
  }

  has(node: RedisServer): boolean {
    return this.nodes.includes(node)
  }
}

/** The replica becomes the master, whatever it missed. */
export async function takeOver({ port }: RedisServer): Promise<void> {
  await eventually(
    async () => {
      await redisCli(port, 'CLUSTER', 'FAILOVER', 'TAKEOVER').catch(() => {})
      return (await roleOf(port)) === 'master'
    },
    { what: 'the replica to take over', everyMs: 50 },
  )
}

export async function folderOf({ port }: RedisServer): Promise<string> {
  return (await redisCli(port, 'CONFIG', 'GET', 'dir')).split('\n')[1] as string
}

/** Takes the data of a node that does not run; what it knows of the cluster stays. */
export async function removeData(folder: string): Promise<void> {
  await rm(join(folder, 'dump.rdb'), { force: true })
}

async function roleOf(port: number): Promise<string | null> {
  return infoField(await redisCli(port, 'INFO', 'replication'), 'role')
}

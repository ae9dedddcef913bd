import type { ServerAddress } from './redis-client.js'

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
   * Stays the same while it is the same process and has not followed another master (`run_id` and
   * `master_replid` of INFO). Such a server has every write that it ever acknowledged.
   */
  readonly identity: string
  /** Null where it is not reported, as by some hosted servers. */
  readonly maxmemoryPolicy: string | null
  /** The addresses of its replicas, as it sees them. */
  readonly replicas: readonly ServerAddress[]
}

/** Reads the answer of INFO. The policy is in its section `memory`. */
export function readServerFacts(info: string): ServerFacts {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null
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

/** Whether it is known to evict keys when it is full. */
export function mayEvict(facts: ServerFacts): facts is ServerFacts & { readonly maxmemoryPolicy: string } {
  return facts.maxmemoryPolicy !== null && facts.maxmemoryPolicy !== 'noeviction'
}

export function nameOf({ host, port }: ServerAddress): string {
  return `${host}:${port}`
}

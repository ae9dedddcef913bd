import type { ServerAddress } from './redis-client.js'

/** The server may throw sessions away when it is full, which logs people out. */
export class EvictingServerError extends Error {
  constructor(policy: string, replica?: ServerAddress) {
    const whose = replica
      ? `the maxmemory-policy of its replica ${replica.host}:${replica.port}`
      : 'its maxmemory-policy'
    super(`${whose} is ${policy}, it must be noeviction`)
    this.name = 'EvictingServerError'
  }
}

/** What a server says of itself. */
export interface ServerFacts {
  readonly isMaster: boolean
  /**
   * The same as long as it is the same process and has not followed another master meanwhile (`run_id` and
   * `master_replid` of INFO): a server of which that holds has every write that it ever answered.
   */
  readonly identity: string
  /** Null where it is not told, as by some hosted servers. */
  readonly maxmemoryPolicy: string | null
  /** The addresses of its replicas, as it sees them. */
  readonly replicas: readonly ServerAddress[]
}

/** Reads what INFO answers. The policy is in its section `memory`. */
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

/** Whether it is known to throw keys away when it is full. */
export function mayEvict(facts: ServerFacts): facts is ServerFacts & { readonly maxmemoryPolicy: string } {
  return facts.maxmemoryPolicy !== null && facts.maxmemoryPolicy !== 'noeviction'
}

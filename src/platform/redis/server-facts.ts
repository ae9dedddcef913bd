import type { ServerAddress } from './redis-client.js'

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
export function mayEvict(facts: ServerFacts): facts is ServerFacts & { readonly maxmemoryPolicy: string } {
  return facts.maxmemoryPolicy !== null && facts.maxmemoryPolicy !== 'noeviction'
}

export function nameOf({ host, port }: ServerAddress): string {
  return `${host}:${port}`
}

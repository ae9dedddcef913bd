import type { ServerCommands } from './redis-client.js'

type ReplyOf = (error: unknown) => string | null

/** The server may throw sessions away when it is full, which logs people out. */
export class EvictingServerError extends Error {
  constructor(policy: string) {
    super(`its maxmemory-policy is ${policy}, it must be noeviction`)
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
  /** Null where CONFIG is not allowed, as on some hosted servers. */
  readonly maxmemoryPolicy: string | null
  /** The addresses of its replicas, as it sees them. */
  readonly replicas: readonly { readonly host: string; readonly port: number }[]
}

/** `replyOf` is that of the client, see RedisClient. */
export async function readServerFacts(server: ServerCommands, replyOf: ReplyOf): Promise<ServerFacts> {
  const [answer, maxmemoryPolicy] = await Promise.all([server.info(), readMaxmemoryPolicy(server, replyOf)])
  const info = String(answer)
  return {
    ...readRole(info),
    maxmemoryPolicy,
    replicas: [...info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+)/gm)].map(([, host, port]) => ({
      host: host as string,
      port: Number(port),
    })),
  }
}

/** The part of it that INFO's sections `server` and `replication` are enough for. */
export function readRole(info: string): Pick<ServerFacts, 'isMaster' | 'identity'> {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
  return {
    isMaster: field('role') === 'master',
    identity: `${field('run_id')} ${field('master_replid')}`,
  }
}

async function readMaxmemoryPolicy(server: ServerCommands, replyOf: ReplyOf): Promise<string | null> {
  try {
    const { 'maxmemory-policy': policy } = await server.configGet('maxmemory-policy')
    return policy ?? null
  } catch (error) {
    if (replyOf(error) !== null) return null
    throw error
  }
}

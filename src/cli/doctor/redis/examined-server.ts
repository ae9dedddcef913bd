import type { RedisClient, ServerCommands } from '../../../platform/redis/redis-client.js'
import type { Clock } from '../../../platform/time.js'

/** A master, and what it says about itself. */
export interface ExaminedServer {
  readonly client: RedisClient
  readonly server: ServerCommands
  readonly clock: Clock
  /** Its answer to INFO. */
  readonly info: string
  /** Appended to the names of settings; empty where there is only one master. */
  readonly name: string
}

/** Null where the server does not allow CONFIG. */
export async function setting(server: ServerCommands, name: string): Promise<string | null> {
  try {
    return ((await server.configGet(name)) as Record<string, string>)[name] ?? null
  } catch {
    return null
  }
}

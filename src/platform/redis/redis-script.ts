import { createHash } from 'node:crypto'
import { replyOf, type ServerCommands } from './redis-client.js'

/** A Lua script, called by its hash. */
export interface RedisScript {
  readonly lua: string
  readonly sha: string
}

export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/**
 * Runs a script in one round trip; sends its text only when the server does not have it. In a cluster, all keys of a
 * script must be in one slot.
 */
export async function evaluate(
  server: Pick<ServerCommands, 'eval' | 'evalSha'>,
  { sha, lua }: RedisScript,
  keys: string | string[],
  args: readonly string[],
): Promise<unknown> {
  const options = { keys: typeof keys === 'string' ? [keys] : keys, arguments: [...args] }
  try {
    return await server.evalSha(sha, options)
  } catch (error) {
    if (replyOf(error)?.startsWith('NOSCRIPT')) return server.eval(lua, options)
    throw error
  }
}

import { createHash } from 'node:crypto'

/** A Lua script, called by its hash. */
export interface RedisScript {
  readonly lua: string
  readonly sha: string
}

export function redisScript(lua: string): RedisScript {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

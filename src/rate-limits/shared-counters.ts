import { type RedisConnection, redisScript } from '../redis/redis-connection.js'

/** What to count, and for how long from the first time. */
export interface Counted {
  readonly key: string
  readonly windowSeconds: number
}

/** The state of a counter. */
export interface Count {
  readonly points: number
  /** Until it resets. */
  readonly msLeft: number
}

/** What the names of all counters in Redis begin with. */
export const PREFIX = 'attempts'

/** Points and milliseconds left of each counter, one after the other. */
const READ = redisScript(`
local found = {}
for i, key in ipairs(KEYS) do
  found[2 * i - 1] = tonumber(redis.call('GET', key) or '0')
  found[2 * i] = math.max(0, redis.call('PTTL', key))
end
return found`)

/**
 * Adds to each counter, or subtracts, but never below zero: that would allow free guesses. ARGV: how much,
 * then how many seconds each lives for. Answers like READ.
 */
const COUNT = redisScript(`
local found = {}
for i, key in ipairs(KEYS) do
  if tonumber(ARGV[1]) < 0 and tonumber(redis.call('GET', key) or '0') <= 0 then
    found[2 * i - 1], found[2 * i] = 0, 0
  else
    redis.call('SET', key, 0, 'EX', ARGV[i + 1], 'NX')
    found[2 * i - 1], found[2 * i] = redis.call('INCRBY', key, ARGV[1]), redis.call('PTTL', key)
  end
end
return found`)

/** Counters in Redis, several at once; in a cluster they must have one slot. Throws when Redis does not answer. */
export class SharedCounters {
  constructor(private readonly redis: RedisConnection) {}

  async read(keys: readonly string[]): Promise<Count[]> {
    return countsOf(await this.redis.runScript(READ, keys.map(nameOf), []))
  }

  /** Adds `points` to each, or subtracts. */
  async count(points: number, counted: readonly Counted[]): Promise<Count[]> {
    const seconds = counted.map(({ windowSeconds }) => String(windowSeconds))
    const names = counted.map(({ key }) => nameOf(key))
    return countsOf(await this.redis.runScript(COUNT, names, [String(points), ...seconds]))
  }

  /** Answers something for each. */
  async forget(keys: readonly string[]): Promise<readonly string[]> {
    await this.redis.run(commands => commands.del(keys.map(nameOf)))
    return keys
  }
}

/** The key in Redis. */
export function nameOf(key: string): string {
  return `${PREFIX}:${key}`
}

function countsOf(found: unknown): Count[] {
  const numbers = found as number[]
  return Array.from({ length: numbers.length / 2 }, (_, index) => ({
    points: numbers[2 * index] as number,
    msLeft: numbers[2 * index + 1] as number,
  }))
}

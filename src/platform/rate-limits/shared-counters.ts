import { type RedisConnection, redisScript } from '../redis/redis.js'

/** A counter to add to, and its lifetime after its first count. */
export interface Increment {
  readonly key: string
  readonly windowSeconds: number
}

/** A counter with its limit. */
export interface LimitedCounter {
  readonly key: string
  /** The count at which it is full; null where it is never full. */
  readonly max: number | null
  /**
   * Its lifetime after the first count, by how often it was full before; the last one applies to all further
   * times.
   */
  readonly windowsSeconds: readonly number[]
  /** The key of the counter for how often it was full; null where that makes no difference. */
  readonly timesFullKey: string | null
}

/** The state of a counter. */
export interface Count {
  readonly points: number
  /** Until it resets. */
  readonly msLeft: number
}

/** The prefix of all counters' keys in Redis. */
const PREFIX = 'attempts'

/** Points and milliseconds left of each counter, alternating. */
const READ = redisScript(`
local found = {}
for i, key in ipairs(KEYS) do
  found[2 * i - 1] = tonumber(redis.call('GET', key) or '0')
  found[2 * i] = math.max(0, redis.call('PTTL', key))
end
return found`)

/**
 * Adds to each counter, or subtracts, but never below zero: that would allow free guesses. ARGV: how much,
 * then each counter's lifetime in seconds. Returns the same as READ.
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

/**
 * COUNT by one, unless one is full. KEYS: the counters, then the counters of how often some were full. ARGV:
 * 1 to count even then; the number of counters; for each its maximum (or -1), the index of its other key (or
 * 0), its windows. Returns 1 if it has counted, then the same as READ.
 */
const COUNT_LIMITED = redisScript(`
local answer = {1}
for i = 1, ARGV[2] do
  local points, max = tonumber(redis.call('GET', KEYS[i]) or '0'), tonumber(ARGV[3 * i])
  answer[2 * i], answer[2 * i + 1] = points, math.max(0, redis.call('PTTL', KEYS[i]))
  if max >= 0 and points >= max and ARGV[1] ~= '1' then answer[1] = 0 end
end
if answer[1] == 0 then return answer end
for i = 1, ARGV[2] do
  local place, windows = tonumber(ARGV[3 * i + 1]), {}
  for seconds in string.gmatch(ARGV[3 * i + 2], '%d+') do windows[#windows + 1] = seconds end
  local timesFull = place > 0 and tonumber(redis.call('GET', KEYS[place]) or '0') or 0
  redis.call('SET', KEYS[i], 0, 'EX', windows[math.min(timesFull + 1, #windows)], 'NX')
  answer[2 * i], answer[2 * i + 1] = redis.call('INCR', KEYS[i]), redis.call('PTTL', KEYS[i])
end
return answer`)

/** What to do with a count when a counter is full. */
export type WhenFull = 'refuse' | 'count'

/** Counters in Redis, several at once; in a cluster they must share one slot. Throws when Redis does not answer. */
export class SharedCounters {
  constructor(private readonly redis: RedisConnection) {}

  async read(keys: readonly string[]): Promise<Count[]> {
    return countsOf(await this.redis.runScript(READ, keys.map(nameOf), []))
  }

  /** Adds `points` to each, or subtracts. */
  async count(points: number, increments: readonly Increment[]): Promise<Count[]> {
    const seconds = increments.map(({ windowSeconds }) => String(windowSeconds))
    const names = increments.map(({ key }) => nameOf(key))
    return countsOf(await this.redis.runScript(COUNT, names, [String(points), ...seconds]))
  }

  /** Adds one to each; with `refuse`, to none when one is full. Returns their state afterwards. */
  async countLimited(
    limited: readonly LimitedCounter[],
    whenFull: WhenFull,
  ): Promise<{ readonly isCounted: boolean; readonly counts: Count[] }> {
    const others = limited.flatMap(({ timesFullKey }) => (timesFullKey === null ? [] : [timesFullKey]))
    const placeOf = (key: string | null) => (key === null ? 0 : limited.length + others.indexOf(key) + 1)
    const rules = limited.flatMap(({ max, timesFullKey, windowsSeconds }) => [
      String(max ?? -1),
      String(placeOf(timesFullKey)),
      windowsSeconds.join(' '),
    ])
    const keys = [...limited.map(({ key }) => key), ...others].map(nameOf)
    const head = [whenFull === 'count' ? '1' : '0', String(limited.length)]
    const [isCounted, ...found] = (await this.redis.runScript(COUNT_LIMITED, keys, [
      ...head,
      ...rules,
    ])) as number[]
    return { isCounted: isCounted === 1, counts: countsOf(found) }
  }

  /** Returns one element for each key. */
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

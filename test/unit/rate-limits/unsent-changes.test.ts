import { beforeEach, describe, expect, it } from '@jest/globals'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { type Count, type CounterTarget, type Increment, UnsentChanges } from '../../sources.js'

const WINDOW_SECONDS = 100

/** A cluster of which a shard can fail or fall silent; what is kept is real. */
class Shards implements CounterTarget {
  readonly failing = new Set<string>()
  silence: Promise<never> | null = null
  private readonly kept = new RateLimiterMemory({ points: 0, duration: 0 })

  async count(points: number, increments: readonly Increment[]): Promise<Count[]> {
    if (increments.some(({ key }) => this.failing.has(key))) throw new Error('no such shard')
    await this.silence
    const counts = increments.map(async ({ key, windowSeconds }) => {
      const found = await this.kept.penalty(key, points, { customDuration: windowSeconds })
      return { points: found.consumedPoints, msLeft: found.msBeforeNext }
    })
    return Promise.all(counts)
  }

  async forget(keys: readonly string[]): Promise<readonly string[]> {
    for (const key of keys) await this.kept.delete(key)
    return keys
  }

  async pointsOf(key: string): Promise<number> {
    return (await this.kept.get(key))?.consumedPoints ?? 0
  }

  async msLeftOf(key: string): Promise<number | undefined> {
    return (await this.kept.get(key))?.msBeforeNext
  }
}

describe('Unsent changes', () => {
  let unsent: UnsentChanges
  let shards: Shards
  beforeEach(() => {
    unsent = new UnsentChanges()
    shards = new Shards()
  })

  function add(...keys: string[]): void {
    unsent.add(keys.map(key => ({ key, windowSeconds: WINDOW_SECONDS })))
  }

  async function send(): Promise<void> {
    unsent.send(shards, () => true)
    await new Promise(setImmediate)
  }

  it('are told once, all of a counter together, and end with its window', async () => {
    add('a', 'a', 'b')
    await send()
    await send()
    expect([await shards.pointsOf('a'), await shards.pointsOf('b')]).toEqual([2, 1])
    expect(await shards.msLeftOf('a')).toBeLessThanOrEqual(WINDOW_SECONDS * 1000)
  })

  it('that cannot be told stay owed, and are no reason to tell the others again', async () => {
    add('healthy', 'dead')
    shards.failing.add('dead')
    for (let second = 0; second < 10; second++) await send()
    expect(await shards.pointsOf('healthy')).toBe(1)
    shards.failing.clear()
    await send()
    expect([await shards.pointsOf('healthy'), await shards.pointsOf('dead')]).toEqual([1, 1])
  })

  it('that were lost on the way are owed beside what came since', async () => {
    let lose = (_: Error) => {}
    shards.silence = new Promise((_, reject) => {
      lose = reject
    })
    add('a', 'a')
    await send()
    add('a', 'a', 'a')
    await send()
    lose(new Error('the connection was lost'))
    shards.silence = null
    await new Promise(setImmediate)
    await send()
    expect(await shards.pointsOf('a')).toBe(5)
  })

  it('that are cancelled on the way are owed no more', async () => {
    let lose = (_: Error) => {}
    shards.silence = new Promise((_, reject) => {
      lose = reject
    })
    add('a')
    await send()
    unsent.cancel(['a'])
    lose(new Error('the connection was lost'))
    shards.silence = null
    await send()
    expect(await shards.pointsOf('a')).toBe(0)
  })

  it('are taken off, from what is owed or from what was told before', async () => {
    add('a', 'a')
    unsent.subtract([{ key: 'a', windowSeconds: WINDOW_SECONDS }])
    expect(unsent.willAddTo('a')).toBe(true)
    await send()
    expect(await shards.pointsOf('a')).toBe(1)
    unsent.subtract([{ key: 'a', windowSeconds: WINDOW_SECONDS }])
    expect(unsent.willAddTo('a')).toBe(false)
    await send()
    expect(await shards.pointsOf('a')).toBe(0)
  })

  it('can be that a counter begins anew', async () => {
    await shards.count(9, [{ key: 'a', windowSeconds: WINDOW_SECONDS }])
    unsent.reset(['a'])
    add('a')
    await send()
    expect(await shards.pointsOf('a')).toBe(1)
  })

  it('are told a part at a time', async () => {
    const keys = Array.from({ length: 1_200 }, (_, index) => `key-${index}`)
    add(...keys)
    const told = async () => (await Promise.all(keys.map(key => shards.pointsOf(key)))).filter(Boolean).length
    const parts = []
    for (let turn = 0; turn < 3; turn++) {
      await send()
      parts.push(await told())
    }
    expect(parts).toEqual([500, 1_000, 1_200])
  })
})

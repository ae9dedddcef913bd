import { describe, expect, test } from '@jest/globals'
import {
  EvictingServerError,
  ForeignStoreError,
  isOpenSince,
  LostStoreError,
  NotYetError,
  type SessionHandle,
  ShardGate,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'

type Before = Parameters<ConstructorParameters<typeof ShardGate>[1]>[0]

interface HeldOpening {
  readonly before: Before
  succeed(identity?: string): void
  fail(error?: Error): void
}

/** A gate whose openings wait to be told how they end. */
function heldGate() {
  const held: HeldOpening[] = []
  let isOver = false
  const gate = new ShardGate(
    'a shard',
    before =>
      new Promise((resolve, reject) => {
        held.push({
          before,
          succeed: (identity = 'the server') => resolve(identity),
          fail: (error = new Error('no')) => reject(error),
        })
      }),
    () => isOver,
  )
  const begun = (count: number) => eventually(() => held.length === count)
  const end = () => {
    isOver = true
  }
  return { gate, held, begun, end }
}

async function openGate() {
  const all = heldGate()
  all.gate.shut(1, 'new')
  all.held[0]!.succeed()
  await eventually(() => all.gate.isOpen)
  return all
}

const ended = (sid: string) => ({ ended: [sid as SessionHandle], grants: [] })

describe('ShardGate', () => {
  test('is shut until it has been opened', async () => {
    const { gate, held } = heldGate()
    expect(gate.isOpen).toBe(false)
    gate.shut(1, 'new')
    expect(gate.isOpen).toBe(false)
    held[0]!.succeed()
    await eventually(() => gate.isOpen)
    expect(isOpenSince(gate, 1)).toBe(true)
  })

  test('shuts at once when doubt arises, and tries until it can be opened', async () => {
    const { gate, held, begun } = await openGate()
    gate.shut(2, 'lost')
    expect(gate.isOpen).toBe(false)
    held[1]!.fail()
    await begun(3)
    expect(gate.status()).toMatchObject({ isOpen: false, reason: 'no' })
    held[2]!.succeed()
    await eventually(() => gate.isOpen)
  })

  test('opens again for doubt that arose while it was being opened', async () => {
    const { gate, held, begun } = await openGate()
    gate.shut(2, 'lost')
    const { since } = gate.status()
    await new Promise(resolve => setTimeout(resolve, 2))
    gate.shut(3, 'lost again')
    expect(gate.status().since).toBe(since)
    // One opening at a time.
    expect(held).toHaveLength(2)
    held[1]!.succeed()
    await begun(3)
    expect(gate.isOpen).toBe(false)
    held[2]!.succeed()
    await eventually(() => gate.isOpen)
  })

  test('does not count as open since before a doubt that has passed', async () => {
    const { gate, held } = await openGate()
    gate.shut(7, 'lost')
    held[1]!.succeed()
    await eventually(() => gate.isOpen)
    expect(isOpenSince(gate, 6)).toBe(false)
    expect(isOpenSince(gate, 7)).toBe(true)
  })

  test('hands over which server was open last, and what did not get through until then', async () => {
    const { gate, held, begun } = await openGate()
    gate.remember(ended('one'))
    gate.shut(2, 'a change did not get through')
    expect(held[1]!.before).toEqual({ identity: 'the server', waiting: ended('one') })
    gate.remember(ended('two'))
    held[1]!.succeed()
    await begun(3)
    expect(held[2]!.before.waiting.ended).toEqual(['one', 'two'])
    held[2]!.succeed('another server')
    await eventually(() => gate.isOpen)
    gate.shut(3, 'lost')
    expect(held[3]!.before).toEqual({ identity: 'another server', waiting: { ended: [], grants: [] } })
    expect(gate.status()).toMatchObject({ waiting: 0 })
  })

  test.each([
    [10_000, 'the server', 10_000],
    [10_001, null, 0],
  ])(
    'looks up what is missing when more is waiting than is kept in memory: of %i',
    async (count, identity, waiting) => {
      const { gate, held } = await openGate()
      gate.remember({
        ended: Array.from({ length: count }, (_, n) => String(n) as SessionHandle),
        grants: [],
      })
      gate.shut(2, 'a change did not get through')
      expect(held[1]!.before.identity).toBe(identity)
      expect(held[1]!.before.waiting.ended).toHaveLength(waiting)
    },
  )

  test('counts as settled, though shut, once its data is known to be lost', async () => {
    const { gate, held, begun } = await openGate()
    gate.shut(2, 'lost')
    expect(gate.isSettled).toBe(false)
    held[1]!.fail(new LostStoreError('its data is gone'))
    await eventually(() => gate.isSettled)
    expect(gate.isOpen).toBe(false)
    await begun(3)
    held[2]!.succeed()
    await eventually(() => gate.isOpen)
    gate.shut(3, 'lost again')
    expect(gate.isSettled).toBe(false)
  })

  test.each([
    [new Error('down'), { isSettled: false, soon: 3 }],
    [new NotYetError('the database is older'), { isSettled: false, soon: 2 }],
    [new LostStoreError('its data is gone'), { isSettled: true, soon: 2 }],
    [new ForeignStoreError(), { isSettled: true, soon: 2 }],
    [new EvictingServerError('allkeys-lru'), { isSettled: true, soon: 2 }],
  ])('tries again for %s: at once or later, and the start waits for it or not', async (error, expected) => {
    const { gate, held, begun } = await openGate()
    gate.shut(2, 'lost')
    held[1]!.fail(error)
    await new Promise(resolve => setTimeout(resolve, 400))
    expect({ isSettled: gate.isSettled, soon: held.length }).toEqual(expected)
    await begun(3)
  })

  test('is not opened any more once it is over', async () => {
    const { gate, held, end } = await openGate()
    gate.shut(2, 'lost')
    end()
    held[1]!.fail()
    await new Promise(resolve => setTimeout(resolve, 250))
    expect(held).toHaveLength(2)
  })
})

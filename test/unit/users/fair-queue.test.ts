import { describe, expect, it } from '@jest/globals'
import { FairQueue, type Turn } from '../../sources.js'

const DROPPED = new Error('dropped')

function turn(network: string): Turn {
  return { network, subnet: network.split('.')[0] as string }
}

/** A queue whose work is done one piece at a time, when the test says so. */
function heldQueue(bounds: { maxRunning: number; maxWaiting: number }) {
  const queue = new FairQueue({ ...bounds, refusal: () => DROPPED })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const outcomes = new Map<string, string>()
  const add = (name: string) => {
    const work = () => {
      begun.push(name)
      return new Promise<void>(resolve => ends.push(resolve))
    }
    queue.run(turn(name), work).then(
      () => outcomes.set(name, 'done'),
      error => outcomes.set(name, error === DROPPED ? 'dropped' : 'failed'),
    )
  }
  const settle = () => new Promise(setImmediate)
  const endAll = async () => {
    await settle()
    while (ends.length > 0) {
      ends.shift()?.()
      await settle()
    }
  }
  return { add, begun, outcomes, settle, endAll }
}

describe('security H4: FairQueue', () => {
  it('gives turns by subnet, and within one by network', async () => {
    const { add, begun, endAll } = heldQueue({ maxRunning: 1, maxWaiting: 100 })
    for (const name of ['a.1', 'a.1', 'a.1', 'a.2', 'b.1', 'b.1', 'c.1']) add(name)
    await endAll()
    expect(begun).toEqual(['a.1', 'a.1', 'b.1', 'c.1', 'a.2', 'b.1', 'a.1'])
  })

  it('does no more at a time than it may, and takes what fails for done', async () => {
    const queue = new FairQueue({ maxRunning: 2, maxWaiting: 100, refusal: () => DROPPED })
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      throw new Error('no')
    }
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => queue.run(turn('a.1'), work)))
    expect(all.every(({ status }) => status === 'rejected')).toBe(true)
    expect(most).toBe(2)
  })

  it('drops the newest of who has most waiting, so that whoever sends a thousand loses their own', async () => {
    const { add, outcomes, settle, endAll } = heldQueue({ maxRunning: 1, maxWaiting: 10 })
    for (let count = 0; count < 50; count++) add('flood.1')
    await settle()
    expect(outcomes.get('flood.1')).toBe('dropped')
    const honest = Array.from({ length: 9 }, (_, index) => `home${index}.1`)
    for (const name of honest) add(name)
    await endAll()
    expect(honest.map(name => outcomes.get(name))).toEqual(honest.map(() => 'done'))
  })
})

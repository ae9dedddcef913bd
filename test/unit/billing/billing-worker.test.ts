import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  type BillingQueue,
  BillingWorker,
  type ClaimedWork,
  type CustomerSync,
  Logger,
} from '../../sources.js'

/** Of billing-worker.ts. */
const SLOTS = 6
const OTHER_SLOTS = 4
const POLL_EVERY_MS = 1_000
const RENEW_EVERY_MS = 5_000
const CLOSING_MS = 5_000

function aWork(customerId: string, { attempts = 0, isRoutine = false } = {}): ClaimedWork {
  return { customerId, claim: `claim of ${customerId}`, version: 1, attempts, isRoutine }
}

/** What waits, in order, and what became of it. Not a database's: only what the worker asks of it. */
class Queue {
  waiting: ClaimedWork[] = []
  readonly claims: [free: number, others: number][] = []
  readonly released: string[] = []
  readonly renewed: string[] = []
  readonly postponed: [customer: string, reason: string][] = []
  unqueued = 0
  isGivenUp = false
  fault: Error | null = null
  /** Holds back the answer to a claim. */
  gate: Promise<void> = Promise.resolve()

  readonly asQueue = this as unknown as BillingQueue

  async claim(free: number, others: number): Promise<ClaimedWork[]> {
    this.claims.push([free, others])
    await this.gate
    if (this.fault) throw this.fault
    let left = others
    const taken = this.waiting
      .filter(({ isRoutine, attempts }) => (isRoutine || attempts > 0 ? left-- > 0 : true))
      .slice(0, free)
    this.waiting = this.waiting.filter(work => !taken.includes(work))
    return taken
  }

  async renew({ customerId }: ClaimedWork): Promise<void> {
    this.renewed.push(customerId)
    if (this.fault) throw this.fault
  }

  async release({ customerId }: ClaimedWork): Promise<void> {
    this.released.push(customerId)
    if (this.fault) throw this.fault
  }

  async retry({ customerId }: ClaimedWork, reason: string): Promise<boolean> {
    this.postponed.push([customerId, reason])
    if (this.fault) throw this.fault
    return this.isGivenUp
  }

  async addUnqueued(): Promise<number> {
    if (this.fault) throw this.fault
    return this.unqueued
  }
}

/** Looks at customers that end when the test says so. */
class Sync {
  readonly begun = new Map<
    string,
    { end: (isFinished: boolean) => void; fail: (error: Error) => void; limit: AbortSignal }
  >()
  readonly asSync = this as unknown as CustomerSync

  run({ customerId }: ClaimedWork, limit: AbortSignal): Promise<boolean> {
    return new Promise((end, fail) => this.begun.set(customerId, { end, fail, limit }))
  }

  get customers(): string[] {
    return [...this.begun.keys()]
  }

  end(customer: string, isFinished = true): void {
    this.begun.get(customer)?.end(isFinished)
  }
}

let queue: Queue
let sync: Sync
let worker: BillingWorker
let logged: string[]
beforeEach(() => {
  jest.useFakeTimers()
  queue = new Queue()
  sync = new Sync()
  worker = new BillingWorker(queue.asQueue, sync.asSync)
  logged = []
  for (const level of ['warn', 'error'] as const)
    jest
      .spyOn(Logger.prototype, level)
      .mockImplementation(message => void logged.push(`${level}: ${message}`))
})
afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

/** Lets all that can go on without a timer go on. */
const turns = () => jest.advanceTimersByTimeAsync(0)

describe('slots', () => {
  it('are filled with what has just happened, and again as each becomes free', async () => {
    queue.waiting = Array.from({ length: SLOTS + 2 }, (_, index) => aWork(`c${index}`))
    worker.nudge()
    await turns()
    expect(sync.customers).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5'])
    worker.nudge()
    await turns()
    expect(queue.claims).toEqual([[SLOTS, OTHER_SLOTS]])
    sync.end('c3')
    await turns()
    expect(sync.customers.at(-1)).toBe('c6')
    expect(queue.claims).toEqual([
      [SLOTS, OTHER_SLOTS],
      [1, 1],
    ])
  })

  it.each([
    ['routine comparisons', { isRoutine: true }],
    ['retries', { attempts: 1 }],
  ])('are not all given to %s', async (_, of) => {
    queue.waiting = Array.from({ length: SLOTS }, (_, index) => aWork(`old${index}`, of))
    worker.nudge()
    await turns()
    expect(sync.customers).toHaveLength(OTHER_SLOTS)
    worker.nudge()
    await turns()
    expect(queue.claims.at(-1)).toEqual([SLOTS - OTHER_SLOTS, 0])
    queue.waiting.push(aWork('new'))
    worker.nudge()
    await turns()
    expect(sync.customers.at(-1)).toBe('new')
    // One of the old ends: its slot takes another old one, and no more.
    sync.end('old0')
    await turns()
    expect(queue.claims.at(-1)).toEqual([SLOTS - OTHER_SLOTS, 1])
  })

  it('take what is announced while one claim is under way', async () => {
    let open = () => {}
    queue.gate = new Promise(resolve => {
      open = resolve
    })
    worker.nudge()
    worker.nudge()
    await turns()
    expect(queue.claims).toHaveLength(1)
    open()
    await turns()
    expect(queue.claims).toHaveLength(2)
    await turns()
    expect(queue.claims).toHaveLength(2)
  })
})

it('looks by itself every second from the start on, and no more once it stops', async () => {
  await jest.advanceTimersByTimeAsync(2 * POLL_EVERY_MS)
  expect(queue.claims).toHaveLength(0)
  worker.onApplicationBootstrap()
  await jest.advanceTimersByTimeAsync(3 * POLL_EVERY_MS)
  expect(queue.claims).toHaveLength(3)
  await worker.onApplicationShutdown()
  await jest.advanceTimersByTimeAsync(3 * POLL_EVERY_MS)
  worker.nudge()
  await turns()
  expect(queue.claims).toHaveLength(3)
})

describe('a claim', () => {
  it('is renewed every five seconds while the work takes long, also past a failure, and no longer (B14)', async () => {
    queue.waiting = [aWork('a')]
    worker.nudge()
    await jest.advanceTimersByTimeAsync(RENEW_EVERY_MS - 1)
    expect(queue.renewed).toEqual([])
    queue.fault = new Error('down')
    await jest.advanceTimersByTimeAsync(1)
    expect(queue.renewed).toEqual(['a'])
    queue.fault = null
    await jest.advanceTimersByTimeAsync(2 * RENEW_EVERY_MS)
    expect(queue.renewed).toEqual(['a', 'a', 'a'])
    sync.end('a')
    await jest.advanceTimersByTimeAsync(2 * RENEW_EVERY_MS)
    expect(queue.renewed).toHaveLength(3)
  })

  it('is renewed no longer once the work has taken too long (B14)', async () => {
    queue.waiting = [aWork('a')]
    worker.nudge()
    await turns()
    sync.begun.get('a')?.fail(new Error('too late'))
    await jest.advanceTimersByTimeAsync(2 * RENEW_EVERY_MS)
    expect(queue.renewed).toEqual([])
  })
})

describe('what cannot be handled', () => {
  it('goes back at once where more has happened meanwhile', async () => {
    queue.waiting = [aWork('a')]
    worker.nudge()
    await turns()
    sync.end('a', false)
    await turns()
    expect(queue.released).toEqual(['a'])
    expect(queue.postponed).toEqual([])
  })

  it('waits for its next attempt, with what was said by whoever refused, and is no longer held', async () => {
    queue.waiting = [aWork('a')]
    worker.nudge()
    await turns()
    const cause = new Error('the provider said no', { cause: new Error('no such customer') })
    sync.begun.get('a')?.fail(new Error('the provider said no', { cause }))
    await turns()
    expect(queue.postponed).toEqual([['a', 'the provider said no: no such customer']])
    expect(logged).toEqual(['warn: Customer a will be tried again: the provider said no: no such customer'])
    expect(queue.claims.at(-1)).toEqual([SLOTS, OTHER_SLOTS])
  })

  it('is an error in the log once it is given up', async () => {
    queue.isGivenUp = true
    queue.waiting = [aWork('a')]
    worker.nudge()
    await turns()
    sync.begun.get('a')?.fail(new Error('gone'))
    await turns()
    expect(logged).toEqual(['error: Given up on customer a: gone'])
  })

  it('is left to the end of its claim while the database is down', async () => {
    queue.waiting = [aWork('a'), aWork('b')]
    worker.nudge()
    await turns()
    queue.fault = new Error('down')
    sync.begun.get('a')?.fail(new Error('gone'))
    sync.end('b')
    await turns()
    expect(queue.postponed).toEqual([['a', 'gone']])
    expect([...new Set(logged)]).toEqual(['warn: Events cannot be handled now: down'])
    queue.fault = null
    queue.waiting = [aWork('c')]
    worker.nudge()
    await turns()
    expect(sync.customers).toContain('c')
  })
})

describe('the safety net', () => {
  it('says how many were not queued, and takes them', async () => {
    queue.unqueued = 3
    await worker.findUnqueued()
    await turns()
    expect(logged).toEqual(['error: Found events of 3 customers that were not queued'])
    expect(queue.claims).toHaveLength(1)
  })

  it('warns when it could not look', async () => {
    queue.fault = new Error('down')
    await worker.findUnqueued()
    expect(logged).toEqual(['warn: Could not look for waiting events: down'])
  })
})

describe('a stop', () => {
  it('waits for what is under way, and takes nothing new', async () => {
    queue.waiting = [aWork('a')]
    worker.nudge()
    await turns()
    let hasStopped = false
    const stopped = worker.onApplicationShutdown().then(() => {
      hasStopped = true
    })
    queue.waiting = [aWork('b')]
    await jest.advanceTimersByTimeAsync(CLOSING_MS - 1)
    expect(hasStopped).toBe(false)
    sync.end('a')
    await stopped
    expect(sync.customers).toEqual(['a'])
    await jest.advanceTimersByTimeAsync(CLOSING_MS)
    expect(sync.begun.get('a')?.limit.aborted).toBe(false)
    expect(queue.released).toEqual([])
  })

  it('gives back after five seconds what takes longer, without an attempt counted', async () => {
    queue.waiting = [aWork('a')]
    worker.nudge()
    await turns()
    const stopped = worker.onApplicationShutdown()
    await jest.advanceTimersByTimeAsync(CLOSING_MS)
    await stopped
    expect(sync.begun.get('a')?.limit.aborted).toBe(true)
    expect(queue.released).toEqual(['a'])
    expect(queue.postponed).toEqual([])
  })
})

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import {
  GateMetrics,
  type Log,
  LostStoreError,
  Metrics,
  NO_CHANGES,
  type RedisConnection,
  type SessionHandle,
  type ShardBefore,
  ShardGates,
  type ShardStatus,
  type StoreSupervisor,
  withLog,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'

const SHUT = { code: 'SESSION_STORE_UNAVAILABLE' }
const PATIENCE_MS = 10_000
const SID = 'a-session' as SessionHandle
const LOST = new LostStoreError('its data is gone')

/** What is known of the servers, which a test changes as it likes. */
class Servers {
  masters = ['one', 'two']
  /** By the first letter of a key. */
  slots: Record<string, string | null> = { a: 'one', b: 'two' }
  isStale = (_shard: string, _reason: string) => {}
  isServer = (_shard: string, _identity: string | null) => {}

  readonly asRedis = {
    shards: () => this.masters,
    shardOf: (key: string) => this.slots[key[0] as string] ?? null,
    onStale: (listener: Servers['isStale']) => {
      this.isStale = listener
    },
    onServer: (listener: Servers['isServer']) => {
      this.isServer = listener
    },
  } as unknown as RedisConnection
}

/** Brings shards up to date at once, unless a test holds that back. */
class Recovery {
  readonly asked: [shard: string, before: ShardBefore][] = []
  faults: Record<string, Error> = {}
  isThere = true
  private held: Promise<void> = Promise.resolve()

  async recover(shard: string, before: ShardBefore): Promise<string> {
    this.asked.push([shard, before])
    await this.held
    const fault = this.faults[shard]
    if (fault) throw fault
    return `server of ${shard}`
  }

  async hasMarkerFor(): Promise<boolean> {
    return this.isThere
  }

  /** The answer lets them go on. */
  holdBack(): () => void {
    let goOn = () => {}
    this.held = new Promise(resolve => {
      goOn = resolve
    })
    return goOn
  }

  /** Of the last time. */
  knownOf(shard: string): ShardBefore | undefined {
    return this.asked.findLast(([asked]) => asked === shard)?.[1]
  }
}

let servers: Servers
let recovery: Recovery
let gates: ShardGates
let lines: string[]
beforeEach(() => {
  servers = new Servers()
  recovery = new Recovery()
  lines = []
  const line = (_: object, message: string) => void lines.push(message)
  const log: Log = { fatal: line, error: line, warn: line, info: line, debug: line }
  gates = withLog(log, () => new ShardGates(servers.asRedis))
})
afterEach(() => gates.close())

const watch = (patienceMs = PATIENCE_MS) => gates.watch(recovery, patienceMs)
const areOpen = () => eventually(() => gates.areAllOpen(), { everyMs: 1 })
/** Those whose sessions are served, by the first letter of their keys. */
const served = () =>
  ['a', 'b'].filter(key => {
    try {
      gates.assertOpen(key)
      return true
    } catch (error) {
      expect(error).toMatchObject(SHUT)
      return false
    }
  })
/** As long as it takes others to fail four times. */
async function meanwhile(): Promise<void> {
  const failing = new Recovery()
  failing.faults = { one: new Error('down') }
  const others = new ShardGates(new Servers().asRedis)
  await others.watch(failing, 0)
  await eventually(() => failing.asked.filter(([shard]) => shard === 'one').length > 4, { everyMs: 1 })
  others.close()
}
const isRefused = (work: () => void) => expect(work).toThrow(expect.objectContaining(SHUT))

describe('a shard', () => {
  it('serves nobody before it has been brought up to date', async () => {
    expect(served()).toEqual([])
    isRefused(() => gates.assertAllOpen())
    await watch()
    expect(served()).toEqual(['a', 'b'])
    gates.assertAllOpen()
    expect(recovery.asked).toEqual([
      ['one', { identity: null, waiting: NO_CHANGES }],
      ['two', { identity: null, waiting: NO_CHANGES }],
    ])
  })

  it('serves while another one does not', async () => {
    recovery.faults = { two: new Error('down') }
    await watch(0)
    await eventually(() => served().length > 0)
    expect(served()).toEqual(['a'])
    isRefused(() => gates.assertAllOpen())
    expect(gates.openShards().shards).toEqual(['one'])
    recovery.faults = {}
    await areOpen()
    expect(gates.openShards().shards).toEqual(['one', 'two'])
  })

  it.each([
    ['a connection of its was lost', () => servers.isStale('one', 'lost')],
    ['somebody says so', () => gates.markStale('one', 'lost')],
  ])('does not serve from when %s, until its server has been looked at again', async (_, doubt) => {
    await watch()
    const goOn = recovery.holdBack()
    doubt()
    expect(served()).toEqual(['b'])
    expect(gates.status()).toMatchObject([{ isOpen: false, reason: 'lost' }, { isOpen: true }])
    goOn()
    await areOpen()
    // The same server as before has lost nothing.
    expect(recovery.knownOf('one')?.identity).toBe('server of one')
  })

  it('whose server is a replica, or another one, does not serve', async () => {
    await watch()
    servers.isServer('one', 'server of one')
    servers.isServer('an unknown one', null)
    expect(served()).toEqual(['a', 'b'])
    const goOn = recovery.holdBack()
    servers.isServer('one', null)
    expect(served()).toEqual(['b'])
    servers.isServer('two', 'another server')
    expect(served()).toEqual([])
    goOn()
    await areOpen()
  })

  it('that may know what the database does not is looked at as if it were new', async () => {
    await watch()
    const goOn = recovery.holdBack()
    gates.markAllStale('the database is an older one')
    expect(served()).toEqual([])
    goOn()
    await areOpen()
    for (const shard of ['one', 'two']) expect(recovery.knownOf(shard)?.identity).toBeNull()
  })

  it('is told what did not get through before it serves', async () => {
    await watch()
    const goOn = recovery.holdBack()
    const changes = { ended: [SID], grants: [] }
    gates.remember({ shard: 'one', changes, error: new Error('out of memory') })
    expect(served()).toEqual(['b'])
    expect(gates.status()[0]).toMatchObject({
      shard: 'one',
      isOpen: false,
      reason: 'a change did not get through: out of memory',
      waiting: 1,
    })
    goOn()
    await areOpen()
    expect(recovery.knownOf('one')).toEqual({ identity: 'server of one', waiting: changes })
    expect(gates.status()[0]?.waiting).toBe(0)
  })

  it('that comes later is brought up to date too', async () => {
    await watch()
    servers.masters = ['one', 'two', 'three']
    servers.slots = { ...servers.slots, c: 'three' }
    expect(gates.areAllOpen()).toBe(false)
    isRefused(() => gates.assertOpen('c'))
    await areOpen()
    gates.assertOpen('c')
  })

  it('that is gone is not waited for, and is new when it comes back', async () => {
    await watch()
    recovery.faults = { two: new Error('down') }
    gates.markStale('two', 'lost')
    const { length } = recovery.asked
    expect(recovery.asked.at(-1)?.[0]).toBe('two')
    servers.masters = ['one']
    expect(gates.areAllOpen()).toBe(true)
    await meanwhile()
    expect(recovery.asked).toHaveLength(length)
    recovery.faults = {}
    servers.masters = ['one', 'two']
    expect(served()).toEqual(['a'])
    await areOpen()
    expect(recovery.knownOf('two')?.identity).toBeNull()
  })

  it('is not brought up to date any more by a service that ends', async () => {
    await watch()
    recovery.faults = { one: new Error('down') }
    gates.markStale('one', 'lost')
    gates.close()
    const { length } = recovery.asked
    await meanwhile()
    expect(recovery.asked).toHaveLength(length)
  })
})

describe('the start waits', () => {
  /** Whether it still does after a while. */
  const waits = (started: Promise<void>) =>
    Promise.race([started.then(() => false), meanwhile().then(() => true)])

  it('for servers, of which none is known yet', async () => {
    servers.masters = []
    const started = watch()
    expect(await waits(started)).toBe(true)
    servers.masters = ['one']
    isRefused(() => gates.assertOpen('a'))
    await started
  })

  it('no longer than it is told', async () => {
    recovery.faults = { one: new Error('down') }
    await watch(150)
    expect(served()).toEqual(['b'])
  })

  it('for none that only an operator can help, which it says once', async () => {
    recovery.faults = { two: LOST }
    await watch()
    expect(served()).toEqual(['a'])
    expect(lines.filter(text => text.includes(LOST.message))).toHaveLength(1)
  })
})

describe('an answer', () => {
  const answer = async () => 'the answer'

  it('is not even asked for while its shard is shut, or nobody has it', async () => {
    let asked = 0
    const work = async () => ++asked
    await expect(gates.serve('a', work)).rejects.toMatchObject(SHUT)
    await watch()
    await expect(gates.serve('nobody', work)).rejects.toMatchObject(SHUT)
    expect(asked).toBe(0)
  })

  it('is not served when there was doubt about its shard meanwhile, although that is over', async () => {
    await watch()
    const work = async () => {
      gates.markStale('one', 'lost')
      await areOpen()
      return 'the answer'
    }
    await expect(gates.serve('a', work)).rejects.toMatchObject(SHUT)
    expect(await gates.serve('a', answer)).toBe('the answer')
  })

  it.each([
    ['open', false, 'two', true],
    ['shut', true, 'two', false],
    ['unknown', false, null, false],
  ])('of a key whose shard is %s by then: served or not', async (_, isShut, shard, isServed) => {
    await watch()
    const work = async () => {
      servers.slots = { a: shard }
      if (isShut) gates.markStale('two', 'lost')
      return 'the answer'
    }
    const served = gates.serve('a', work)
    if (isServed) expect(await served).toBe('the answer')
    else await expect(served).rejects.toMatchObject(SHUT)
  })
})

describe('a session that is not there', () => {
  it('is over, where its partition is there', async () => {
    await watch()
    await gates.assertNothingLost(SID, 'a')
    expect(served()).toEqual(['a', 'b'])
  })

  it('may have been lost where that is not, and its shard is looked at as if it were new', async () => {
    await watch()
    recovery.isThere = false
    const goOn = recovery.holdBack()
    await expect(gates.assertNothingLost(SID, 'a')).rejects.toMatchObject(SHUT)
    expect(served()).toEqual(['b'])
    goOn()
    await areOpen()
    expect(recovery.knownOf('one')?.identity).toBeNull()
  })

  it('may have been lost where nobody has its key, or nobody has looked', async () => {
    await expect(gates.assertNothingLost(SID, 'a')).rejects.toMatchObject(SHUT)
    await watch()
    recovery.isThere = false
    await expect(gates.assertNothingLost(SID, 'nobody')).rejects.toMatchObject(SHUT)
    expect(served()).toEqual(['a', 'b'])
  })
})

it('a command of an operator’s takes what there is', async () => {
  gates.trust()
  expect(served()).toEqual(['a', 'b'])
  gates.assertAllOpen()
  expect(await gates.serve('a', async () => 'the answer')).toBe('the answer')
  await gates.assertNothingLost(SID, 'a')
})

it('what was read from an open shard holds as long as there has been no doubt about it', async () => {
  await watch()
  const { staleCount } = gates.openShards()
  expect(gates.isOpenSince('one', staleCount)).toBe(true)
  gates.markStale('one', 'lost')
  await areOpen()
  expect([gates.isOpenSince('one', staleCount), gates.isOpenSince('two', staleCount)]).toEqual([false, true])
  expect(gates.isOpenSince('one', gates.openShards().staleCount)).toBe(true)
  expect(gates.isOpenSince('an unknown one', staleCount)).toBe(false)
})

it('a new shard does not hide a doubt about another', async () => {
  await watch()
  const { staleCount } = gates.openShards()
  servers.masters = ['one', 'two', 'three']
  servers.isStale('three', 'connected')
  gates.markStale('one', 'lost')
  await areOpen()
  expect(gates.isOpenSince('one', staleCount)).toBe(false)
})

describe('the metrics of the gates', () => {
  const read = (supervisor: { status(): ShardStatus[] }) => {
    const metrics = new Metrics()
    new GateMetrics(supervisor as StoreSupervisor, metrics)
    return Object.fromEntries(metrics.gauges.map(({ name, label, read }) => [name, [label, read()]]))
  }

  it('number the shards in the order of their addresses', () => {
    const since = performance.now() - 5_000
    const status = () => [
      { shard: 'b:1', isOpen: false, since, reason: 'lost', waiting: 7 },
      { shard: 'a:1', isOpen: true, since: since - 1_000, reason: '', waiting: 0 },
      { shard: 'c:1', isOpen: true, since, reason: '', waiting: 0 },
    ]
    const shutAt = (performance.timeOrigin + since) / 1_000
    expect(read({ status })).toEqual({
      store_gate_open: ['shard', { 0: 1, 1: 0, 2: 1 }],
      store_gate_since_timestamp_seconds: ['shard', { 0: shutAt - 1, 1: shutAt, 2: shutAt }],
      store_changes_waiting: ['shard', { 0: 0, 1: 7, 2: 0 }],
    })
  })
})

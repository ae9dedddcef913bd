import { jest } from '@jest/globals'
import { type SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { TIMEOUTS_OF_ACCOUNTS } from '../../contracts/kept-session.js'
import {
  authMethods,
  type ChangedSessions,
  ChangeFeed,
  type Database,
  KNOWN_EVERYWHERE_AFTER_MS,
  Metrics,
  permissionsOf,
  type RedisConnection,
  RedisSessionStore,
  type Session,
  type SessionHandle,
  unavailable,
} from '../../sources.js'

/** What is wrong in this run: the fakes, or a part of the code that is replaced. */
export type Fault =
  | 'marks are not durable'
  | 'a sid is ignored'
  | 'a user is ignored'
  | 'an account is ignored'
  | 'a change at asOf is older'
  | 'overdue polls count'
  | 'polls that fail count'
  | 'polls see no late commits'
  | 'a failed deletion is not waited for'
  | 'sessions are listed before the commit'
  | 'copies are put without their lease'
  | 'leases survive deletions'
  | 'leases are all the same'
  | 'generations are ignored'
  | 'a restored database is not noticed'
  | 'copies live for ever'
  | 'copies are served before the first poll'
  | 'repeated changes are answered at once'

interface Row {
  readonly userId: string
  readonly accountId: string
  readonly isEnded: boolean
}

type Redis = Map<string, { readonly text: string; readonly until: number }>

/** A state of the database. Versions are of sids, users and accounts; each number is used once. */
interface Truth {
  readonly rows: ReadonlyMap<string, Row>
  readonly versions: ReadonlyMap<string, number>
  readonly changes: readonly { readonly key: string; readonly xid: number }[]
  readonly timeline: number
}

const USERS = ['10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002']
const ACCOUNT = '20000000-0000-4000-8000-000000000001'
const EPOCH = Date.parse('2026-11-29T00:00:00Z')
const DIALECT = new PgDialect()

/** One run: two processes, a database and a Redis in a time of their own, in an order that follows from the seed. */
export class World {
  now = 0
  violation: string | null = null
  refreshes = 0
  hits = 0
  private readonly queue: { readonly at: number; readonly order: number; readonly resume: () => void }[] = []
  private order = 0
  private state: number
  private truth: Truth = { rows: new Map(), versions: new Map(), changes: [], timeline: 1 }
  private past: { readonly truth: Truth; readonly at: number }[] = []
  private generation: { word: string; timeline: number; isWritten: boolean } | null = null
  private nextXid = 100
  private nextVersion = 1
  private nextSid = 1
  /** Transactions in progress, with the time at which each began. */
  private readonly running = new Map<number, number>()
  /** Every number of a transaction, and when it was given out. */
  private readonly given: { readonly xid: number; readonly at: number }[] = []
  private crashes = 0
  private redis: Redis = new Map()
  private redisPast: { readonly at: number; readonly redis: Redis }[] = []
  private isRedisDown = false
  private refusesDeletions = false
  private isDatabaseDown = false
  private isReadingSlowly = false
  private readonly stalled = new Map<Process, number>()
  private readonly pollsSlowly = new Map<Process, number>()
  private readonly pollsFail = new Set<Process>()
  private readonly cutOff = new Set<Process>()
  /** Nothing is promised before this time. */
  private promisedFrom = 0
  /** What has been answered: the least version of each key, and the sessions that are over. */
  private required = new Map<string, number>()
  private readonly over = new Set<string>()
  private processes: Process[] = []
  private isDone = false

  constructor(
    seed: number,
    readonly fault: Fault | null,
  ) {
    this.state = seed * 2_654_435_761
  }

  /** Runs until so many things have gone wrong around the code; resolves with the promise that it broke, or null. */
  async run(disturbances: number): Promise<string | null> {
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => this.now)
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(((
      work: () => void,
      ms: number,
    ) => {
      this.at(ms, work)
      return { unref: () => ({}) }
    }) as unknown as typeof setTimeout)
    try {
      for (let i = 0; i < 4; i++) this.addSession(USERS[i % 2] as string)
      this.processes = [new Process(this), new Process(this)]
      for (let i = 0; i < 4; i++) void this.client()
      for (let i = 0; i < 2; i++) void this.changer()
      void this.chaos(disturbances)
      while (!this.isDone && this.violation === null) {
        await this.settle()
        const next = this.queue.shift()
        if (!next) throw new Error('nothing happens any more')
        this.now = Math.max(this.now, next.at)
        next.resume()
      }
      return this.violation
    } finally {
      clock.mockRestore()
      timers.mockRestore()
    }
  }

  /** Lets everything run that can. */
  private async settle(): Promise<void> {
    for (let i = 0; i < 40; i++) await null
  }

  random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  private pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)] as T
  }

  at(ms: number, resume: () => void): void {
    const entry = { at: this.now + ms, order: this.order++, resume }
    let index = this.queue.length
    while (index > 0 && (this.queue[index - 1] as typeof entry).at > entry.at) index--
    this.queue.splice(index, 0, entry)
  }

  sleep(ms: number): Promise<void> {
    return new Promise(resolve => this.at(ms, resolve))
  }

  /** The way to a server or back: mostly quick. */
  async way(process: Process | null): Promise<void> {
    const slow = this.random()
    await this.sleep(
      slow < 0.9 ? 1 + this.random() * 10 : slow < 0.98 ? this.random() * 300 : this.random() * 2_500,
    )
    const until = (process && this.stalled.get(process)) ?? 0
    if (until > this.now) await this.sleep(until - this.now)
  }

  date(): Date {
    return new Date(EPOCH + this.now)
  }

  // The database

  requireDatabase(process: Process | null): void {
    const isCutOff = process !== null && this.cutOff.has(process)
    if (this.isDatabaseDown || isCutOff) throw unavailable('DATABASE_UNAVAILABLE')
  }

  async ping(process: Process): Promise<void> {
    if (this.fault === 'polls that fail count') throw unavailable('DATABASE_UNAVAILABLE')
    await this.way(process)
    this.requireDatabase(process)
    await this.way(process)
  }

  async poll(process: Process, query: SQL): Promise<{ rows: unknown[] }> {
    const { sql: text, params } = DIALECT.sqlToQuery(query)
    await this.way(process)
    this.requireDatabase(process)
    if (this.pollsFail.has(process)) throw unavailable('DATABASE_UNAVAILABLE')
    let rows: unknown[] = []
    if (text.includes('insert into')) {
      const [word, seen] = params as [string, string | null]
      if ((this.generation?.word ?? null) === seen)
        this.generation = { word, timeline: this.truth.timeline, isWritten: true }
    } else rows = [this.answerTo(params)]
    const until = this.pollsSlowly.get(process) ?? 0
    if (until > this.now) await this.sleep(until - this.now)
    await this.way(process)
    return { rows }
  }

  private answerTo(params: unknown[]) {
    const since = params.length === 0 ? null : (params.at(-1) as string)
    const changes = this.truth.changes
      .filter(({ xid }) => since === null || !isVisibleIn(since, xid))
      .map(({ key, xid }) => `${key} ${xid}`)
    const isLate = this.fault === 'polls see no late commits'
    const settled = isLate ? this.nextXid : Math.min(this.nextXid, ...this.running.keys())
    const isOwn = this.generation?.isWritten && this.generation.timeline === this.truth.timeline
    return {
      snapshot: isLate
        ? `${settled}:${settled}:`
        : `${settled}:${this.nextXid}:${[...this.running.keys()].join(',')}`,
      settled: String(settled),
      generation: this.generation?.word ?? null,
      isOwn: this.fault === 'a restored database is not noticed' && this.generation ? true : isOwn,
      changes: changes.length > 0 ? changes.join('\n') : null,
    }
  }

  async read(
    process: Process,
    sid: SessionHandle,
  ): Promise<{ session: Session; generation: string | null } | null> {
    await this.way(process)
    this.requireDatabase(process)
    const found = this.sessionOf(sid)
    const generation = this.generation?.word ?? null
    if (this.isReadingSlowly) await this.sleep(500 + this.random() * 1_500)
    await this.way(process)
    return found && { session: found, generation }
  }

  /** Its address says the versions that it has. */
  private sessionOf(sid: SessionHandle): Session | null {
    const row = this.truth.rows.get(sid)
    if (!row || row.isEnded) return null
    const version = (key: string) => this.truth.versions.get(key) ?? 0
    return {
      sid,
      userId: row.userId,
      accountId: row.accountId,
      source: 'main',
      permissions: permissionsOf([]),
      origin: null,
      ip: [sid, row.userId, row.accountId].map(version).join('/'),
      userAgent: null,
      createdAt: new Date(EPOCH),
      lastUsed: this.date(),
      expiresAt: new Date(EPOCH + 30 * 86_400_000),
      idleSeconds: null,
      reauthenticatedAt: null,
      amr: authMethods('pwd'),
      authTime: new Date(EPOCH),
    }
  }

  sidsOf({ userIds, accountIds }: Pick<ChangedSessions, 'userIds' | 'accountIds'>): SessionHandle[] {
    const isOf = ({ userId, accountId }: Row) => userIds.includes(userId) || accountIds.includes(accountId)
    return [...this.truth.rows].filter(([, row]) => isOf(row)).map(([sid]) => sid as SessionHandle)
  }

  private addSession(userId: string): void {
    const sid = `session-${this.nextSid++}`.padEnd(43, '-')
    this.truth = {
      ...this.truth,
      rows: new Map(this.truth.rows).set(sid, { userId, accountId: ACCOUNT, isEnded: false }),
    }
  }

  /** A transaction that makes a change; rejects when the server goes down in the meantime. */
  private async transaction(change: (truth: Truth) => Truth, key: string): Promise<void> {
    this.requireDatabase(null)
    const crashes = this.crashes
    const xid = this.nextXid++
    this.running.set(xid, this.now)
    this.given.push({ xid, at: this.now })
    await this.sleep(this.random() < 0.85 ? this.random() * 20 : this.random() * 6_000)
    if (crashes !== this.crashes) throw new Error('the server crashed')
    this.running.delete(xid)
    if (this.random() < 0.3) throw new Error('rolled back')
    this.requireDatabase(null)
    const changed = change(this.truth)
    this.truth = { ...changed, changes: [...changed.changes, { key, xid }] }
    this.past.push({ truth: this.truth, at: this.now })
  }

  // Redis

  async askRedis<T>(process: Process, work: () => T): Promise<T> {
    await this.way(process)
    if (this.isRedisDown) throw new Error('Redis is down')
    const result = work()
    this.redisPast.push({ at: this.now, redis: new Map(this.redis) })
    if (this.redisPast.length > 400) this.redisPast.splice(0, 200)
    await this.way(process)
    return result
  }

  look(key: string, [stamp, lease, ms]: readonly string[]): string | null {
    const found = this.alive(key)
    const isHeld = found?.text.startsWith('lease')
    if (found && !isHeld) {
      this.redis.set(key, { ...found, text: stamp + found.text.slice(10) })
      return found.text
    }
    if (!isHeld && lease !== '')
      this.redis.set(key, { text: this.leaseOf(lease as string), until: this.now + Number(ms) })
    return null
  }

  put(key: string, [replaced, text, seconds]: readonly string[]): number {
    const found = this.alive(key)
    const isAny = this.fault === 'copies are put without their lease'
    if (!isAny && (!found || found.text.slice(10) !== this.leaseOf(replaced as string).slice(10))) return 0
    this.redis.set(key, { text: text as string, until: this.now + Number(seconds) * 1000 })
    return 1
  }

  unlink(key: string): void {
    if (this.refusesDeletions) throw new Error('Redis refuses')
    const found = this.alive(key)
    if (this.fault === 'leases survive deletions' && found?.text.startsWith('lease')) return
    this.redis.delete(key)
  }

  private leaseOf(text: string): string {
    const areSame = this.fault === 'leases are all the same' && text.startsWith('lease')
    return areSame ? 'lease     same' : text
  }

  private alive(key: string) {
    const found = this.redis.get(key)
    return found && found.until > this.now ? found : null
  }

  // What happens

  private async client(): Promise<void> {
    while (!this.isDone) {
      await this.sleep(this.random() * 300)
      // Mostly the same few, so that their events meet.
      const live = [...this.truth.rows].filter(([, { isEnded }]) => !isEnded)
      const [sid, row] = this.pick(
        this.random() < 0.9 && live.length > 2 ? live.slice(0, 3) : [...this.truth.rows],
      )
      await this.refresh(this.pick(this.processes), sid as SessionHandle, row)
    }
  }

  private async refresh(process: Process, sid: SessionHandle, row: Row): Promise<void> {
    const beganAt = this.now
    const required = [sid, row.userId, row.accountId].map(key => this.required.get(key) ?? 0)
    const isOver = this.over.has(sid)
    let found: Session | null
    try {
      found = await process.store.touch(sid, this.date())
    } catch {
      return
    }
    this.refreshes++
    if (beganAt < this.promisedFrom || !this.processes.includes(process)) return
    if (!found) {
      if (this.sessionOf(sid)) this.violate(`${sid} was logged out`)
      return
    }
    if (isOver) this.violate(`${sid} was revived`)
    const versions = found.ip.split('/').map(Number)
    if (versions.some((version, index) => version < (required[index] as number)))
      this.violate(`${sid} has ${found.ip} after ${required.join('/')} was answered`)
    const future = [sid, row.userId, row.accountId].some(
      (key, index) => (versions[index] as number) > (this.truth.versions.get(key) ?? 0),
    )
    if (future && this.promisedFrom <= beganAt) this.violate(`${sid} has what the database has lost`)
  }

  private violate(what: string): void {
    this.violation ??= `${Math.round(this.now)} ms: ${what}`
  }

  private async changer(): Promise<void> {
    while (!this.isDone) {
      await this.sleep(this.random() * 8_000)
      const kind = this.random()
      if (kind < 0.15) this.addSession(this.pick(USERS))
      else if (kind < 0.35) void this.end()
      else void this.bump()
    }
  }

  private async end(): Promise<void> {
    const [sid, row] = this.pick([...this.truth.rows])
    const changed = { sids: [sid as SessionHandle], userIds: [], accountIds: [] }
    const again = this.random() < 0.5
    const isSettled = this.promisedFrom
    const ended = this.transaction(
      truth => ({ ...truth, rows: new Map(truth.rows).set(sid, { ...row, isEnded: true }) }),
      sid,
    )
    const answer = async (process: Process, isRepeated: boolean) => {
      if (!isRepeated || this.fault !== 'repeated changes are answered at once')
        await process.store.forget(changed)
      if (isSettled === this.promisedFrom) this.over.add(sid)
    }
    try {
      await ended
    } catch {
      return
    }
    void answer(this.pick(this.processes), false)
    // The second request waits for the first transaction, and finds it done.
    if (again) void answer(this.pick(this.processes), true)
  }

  private async bump(): Promise<void> {
    const [sid] = this.pick([...this.truth.rows])
    const [key, changed] = this.pick<[string, ChangedSessions]>([
      [sid, { sids: [sid as SessionHandle], userIds: [], accountIds: [] }],
      [USERS[0] as string, { sids: [], userIds: [USERS[0] as string], accountIds: [] }],
      [USERS[1] as string, { sids: [], userIds: [USERS[1] as string], accountIds: [] }],
      [ACCOUNT, { sids: [], userIds: [], accountIds: [ACCOUNT] }],
    ])
    const version = this.nextVersion++
    const process = this.pick(this.processes)
    const isSettled = this.promisedFrom
    process.listedEarly = this.sidsOf(changed)
    try {
      await this.transaction(truth => {
        const known = truth.versions.get(key) ?? 0
        return { ...truth, versions: new Map(truth.versions).set(key, Math.max(known, version)) }
      }, key)
    } catch {
      return
    }
    await process.store.forget(changed)
    if (isSettled === this.promisedFrom)
      this.required.set(key, Math.max(version, this.required.get(key) ?? 0))
  }

  /** One thing at a time goes wrong: what several together may do is said in SECURITY.md. */
  private async chaos(disturbances: number): Promise<void> {
    for (let i = 0; i < disturbances; i++) {
      await this.sleep(2_500 + this.random() * 1_500)
      const what = Math.floor(this.random() * 13)
      const forMs = this.random() * 3_000
      if (what === 0) await this.during(forMs, isDown => (this.isRedisDown = isDown))
      if (what === 1) await this.during(forMs, isDown => (this.refusesDeletions = isDown))
      if (what === 2) await this.during(forMs, isDown => (this.isDatabaseDown = isDown))
      if (what === 3) this.redis.clear()
      if (what === 4) this.failOver(5)
      if (what === 5) this.failOver(400)
      if (what === 6) this.stalled.set(this.pick(this.processes), this.now + this.random() * 5_000)
      if (what === 7) this.restart()
      if (what === 8) await this.crash()
      if (what === 9) await this.restore()
      if (what === 11) {
        this.pollsSlowly.set(this.pick(this.processes), this.now + 5_000)
        await this.during(5_000, isDown => (this.refusesDeletions = isDown))
      }
      if (what === 12) {
        this.pollsFail.add(this.pick(this.processes))
        await this.during(3_000, isDown => (this.refusesDeletions = isDown))
        this.pollsFail.clear()
      }
      if (what === 10) await this.snapshotFromHoursAgo()
    }
    await this.sleep(3_000)
    this.isDone = true
  }

  private async during(ms: number, set: (isDown: boolean) => void): Promise<void> {
    set(true)
    await this.sleep(ms)
    set(false)
    // What failed is still being waited for.
    await this.sleep(3_000)
  }

  /** Redis is what it was some writes ago; a deletion that it had acknowledged may be among them. */
  private failOver(writes: number): void {
    const back = Math.floor(this.random() * Math.min(writes, this.redisPast.length))
    const state = this.redisPast.at(-1 - back)
    if (state) this.redis = new Map(state.redis)
    this.promiseLater()
  }

  private promiseLater(): void {
    this.promisedFrom = this.now + KNOWN_EVERYWHERE_AFTER_MS
  }

  private restart(): void {
    const index = Math.floor(this.random() * this.processes.length)
    this.processes[index]?.feed.onApplicationShutdown()
    const process = new Process(this)
    this.processes[index] = process
    if (this.random() < 0.5) return
    this.pollsSlowly.set(process, this.now + 4_000)
    this.failOver(400)
  }

  /** Transactions in progress are undone, and the numbers that were not on disk are given out again. */
  private async crash(): Promise<void> {
    // Just after some that came to nothing.
    for (let i = 0; i < 3; i++) this.given.push({ xid: this.nextXid++, at: this.now })
    await this.sleep(this.random() * 900)
    this.crashes++
    this.isDatabaseDown = true
    this.running.clear()
    const onDisk = this.given.filter(({ at }) => at < this.now - 1_000)
    const durable = Math.max(99, ...[...onDisk, ...this.truth.changes].map(({ xid }) => xid))
    this.nextXid = Math.min(this.nextXid, durable + 1)
    await this.sleep(this.random() * 300)
    this.isDatabaseDown = false
    // Redis keeps what should be deleted, so that all depends on the numbers.
    this.refusesDeletions = true
    for (let i = 0; i < 4; i++) void this.bump()
    await this.sleep(3_000)
    this.refusesDeletions = false
    await this.sleep(3_000)
  }

  /** From a dump, or another server takes over that does not have the last changes. */
  private async restore(): Promise<void> {
    this.isReadingSlowly = true
    await this.sleep(this.random() * 1_500)
    this.isReadingSlowly = false
    const earlier = this.pick(this.past.slice(-5))
    if (!earlier) return
    this.crashes++
    this.running.clear()
    const isDump = this.random() < 0.5
    this.truth = { ...earlier.truth, timeline: this.truth.timeline + (isDump ? 0 : 1) }
    if (this.generation && isDump) this.generation = { ...this.generation, isWritten: false }
    if (!isDump) this.nextXid = Math.max(99, ...this.truth.changes.map(({ xid }) => xid)) + 1
    this.promisedFrom = Number.POSITIVE_INFINITY
    if (this.random() < 0.5) {
      // Others notice first, and go on.
      this.cutOff.add(this.pick(this.processes))
      await this.sleep(this.random() * 4_000)
      this.cutOff.clear()
    }
    this.promiseLater()
    this.required = new Map(this.truth.versions)
    this.over.clear()
    for (const [sid, { isEnded }] of this.truth.rows) if (isEnded) this.over.add(sid)
  }

  /** Redis comes back as it was; by now nobody remembers the changes that were made in between. */
  private async snapshotFromHoursAgo(): Promise<void> {
    const earlier = new Map(
      [...this.redis].map(([key, found]) => [key, { ...found, until: Number.POSITIVE_INFINITY }]),
    )
    await this.sleep(6_000)
    // Everybody sleeps: polls are overdue until the next one.
    this.now += 4 * 3_600_000
    await this.sleep(3_000)
    this.truth = { ...this.truth, changes: [] }
    this.redis = earlier
    this.promiseLater()
  }
}

class ModelFeed extends ChangeFeed {
  constructor(
    private readonly world: World,
    process: Process,
  ) {
    const poll = <T>(work: (db: never) => Promise<T>) =>
      work({ execute: (query: SQL) => world.poll(process, query) } as never)
    super({ poll, report: poll, ping: () => world.ping(process) } as unknown as Database, 900)
    const { fault } = world
    const inside = this as unknown as Inside
    if (fault === 'copies are served before the first poll') {
      inside.polledAt = world.now
      Object.defineProperty(inside, 'generation', { value: 'any', writable: true })
    }
  }

  override get origin() {
    const { marks, generation } = this as unknown as Inside
    const last = marks.at(-1)
    if (this.world.fault !== 'marks are not durable') return super.origin
    return last && generation !== null ? { generation, asOf: last.settled } : null
  }

  override judge(...[origin, keys, now]: Parameters<ChangeFeed['judge']>) {
    const { fault } = this.world
    const inside = this as unknown as Inside
    const ignored = ['a sid is ignored', 'a user is ignored', 'an account is ignored'].indexOf(fault ?? '')
    const asked = keys.filter((_, index) => index !== ignored)
    if (fault === 'overdue polls count') inside.polledAt = this.world.now
    const generation = fault === 'generations are ignored' ? (inside.generation ?? '') : origin.generation
    const readAt = fault === 'copies live for ever' ? now : origin.readAt
    const asOf = fault === 'a change at asOf is older' ? origin.asOf + 1 : origin.asOf
    if (fault === 'copies are served before the first poll' && inside.generation === 'any') return 'current'
    const judgement = super.judge({ generation, asOf, readAt }, asked, now)
    if (judgement === 'current') this.world.hits++
    return judgement
  }

  override async reachesAll(committedAt: number): Promise<void> {
    if (this.world.fault !== 'a failed deletion is not waited for') await super.reachesAll(committedAt)
  }

  protected override sleep(ms: number): Promise<void> {
    return this.world.sleep(ms)
  }
}

/** Private parts, which planted faults change. */
interface Inside {
  polledAt: number
  generation: string | null
  readonly marks: readonly { readonly settled: number }[]
}

class Process {
  readonly feed: ModelFeed
  readonly store: RedisSessionStore
  /** The sessions of a change before its commit. */
  listedEarly: SessionHandle[] = []

  constructor(world: World) {
    this.feed = new ModelFeed(world, this)
    this.store = new ModelStore(world, this)
    void this.feed.start()
  }
}

class ModelStore extends RedisSessionStore {
  constructor(
    private readonly world: World,
    private readonly process: Process,
  ) {
    super({} as Database, 1, TIMEOUTS_OF_ACCOUNTS, redisOf(world, process), process.feed, new Metrics())
  }

  protected override async touchInDatabase(sid: SessionHandle) {
    return this.world.read(this.process, sid)
  }

  protected override async sidsOf(userIds: readonly string[], accountIds: readonly string[]) {
    if (this.world.fault === 'sessions are listed before the commit') return this.process.listedEarly
    await this.world.way(this.process)
    this.world.requireDatabase(this.process)
    const found = this.world.sidsOf({ userIds, accountIds })
    await this.world.way(this.process)
    return found
  }
}

function redisOf(world: World, process: Process): RedisConnection {
  const commands = {
    unlink: (key: string) => world.askRedis(process, () => world.unlink(key)),
    getRange: async () => '',
  }
  return {
    shardOf: () => 'the server',
    run: (work: (given: unknown) => Promise<unknown>) => work(commands),
    runScript: ({ lua }: { lua: string }, key: string, args: readonly string[]) =>
      world.askRedis(process, () =>
        lua.includes('SETRANGE') ? world.look(key, args) : world.put(key, args),
      ),
  } as unknown as RedisConnection
}

/** As PostgreSQL's `pg_visible_in_snapshot`; a snapshot is `<xmin>:<xmax>:<in progress>`. */
function isVisibleIn(snapshot: string, xid: number): boolean {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':')
  if (xid < Number(xmin)) return true
  return xid < Number(xmax) && !running.split(',').includes(String(xid))
}

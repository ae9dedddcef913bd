import { Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Database } from '../platform/database/database.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { Metrics } from '../platform/metrics.js'
import { Clock, unixSeconds } from '../platform/time.js'
import { SessionStore } from '../sessions/session-store.js'

/** Seconds matter to the person on call, and one small query a second costs a server nothing. */
const EVERY_MS = 1_000

export type PartName = 'database' | 'sessionStore'

/** `since` is when this state was first seen. */
export interface PartStatus {
  readonly state: 'up' | 'down'
  readonly since: Date
}

export interface Status {
  readonly status: 'ok' | 'degraded'
  readonly parts: Readonly<Record<PartName, PartStatus>>
}

const WORDS: Readonly<Record<PartName, string>> = {
  database: 'The database',
  sessionStore: 'The session store',
}

/** Checks the parts that the service depends on, and logs when one goes down or comes back. */
@Injectable()
export class PartsMonitor implements OnApplicationBootstrap {
  private readonly logger = new Logger('PartsMonitor')
  private readonly parts = {} as Record<PartName, PartStatus>
  private isChecking = false

  constructor(
    private readonly database: Database,
    private readonly store: SessionStore,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.gauge({
      name: 'part_up',
      help: 'Whether the part answers: 1 or 0, as in /health/status',
      label: 'part',
      read: () => this.valuesOf(({ state }) => (state === 'up' ? 1 : 0)),
    })
    metrics.gauge({
      name: 'part_since_timestamp_seconds',
      help: 'Since when the part has been up or down, in seconds since 1970',
      label: 'part',
      read: () => this.valuesOf(({ since }) => unixSeconds(since)),
    })
  }

  /** As far as is known: the first check is a second away. */
  onApplicationBootstrap(): void {
    const up = { state: 'up', since: this.clock.now() } as const
    Object.assign(this.parts, { database: up, sessionStore: up })
  }

  /** As of the last check, a second or two ago; asking does not cause a check. */
  status(): Status {
    const isDegraded = Object.values(this.parts).some(({ state }) => state === 'down')
    return { status: isDegraded ? 'degraded' : 'ok', parts: { ...this.parts } }
  }

  @Interval(EVERY_MS)
  async check(): Promise<void> {
    if (this.isChecking) return
    this.isChecking = true
    try {
      await Promise.all([
        this.checkPart('database', () => this.database.ping()),
        this.checkPart('sessionStore', () => this.store.ping()),
      ])
    } finally {
      this.isChecking = false
    }
  }

  private valuesOf(value: (part: PartStatus) => number): Record<string, number> {
    return Object.fromEntries(Object.entries(this.parts).map(([name, part]) => [name, value(part)]))
  }

  private async checkPart(name: PartName, ping: () => Promise<void>): Promise<void> {
    const failure = await ping().then(
      () => null,
      (error: Error) => error,
    )
    const state = failure ? 'down' : 'up'
    const before = this.parts[name]
    if (before.state === state) return
    const now = this.clock.now()
    this.parts[name] = { state, since: now }
    if (failure) this.logger.error(`${WORDS[name]} is down: ${causeMessage(failure)}`)
    else this.logger.warn(`${WORDS[name]} is up again after ${secondsBetween(before.since, now)} s`)
  }
}

function secondsBetween(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / 1000)
}

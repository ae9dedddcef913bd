import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { BillingWork, type ClaimedWork } from './billing-work.js'
import { CustomerSync } from './customer-sync.js'
import { reasonOf } from './reason-of.js'

/** Finds what a replica that died has left, and what is due again; everything else comes by {@link BillingWorker.nudge}. */
const LOOK_EVERY_MS = 1_000
const SAFETY_NET_EVERY_MS = 60_000
/** Customers at once: the provider and the database are asked by logins' neighbours too. */
const SLOTS = 6
/** Some slots are kept for what has just happened: neither customers that hang nor a comparison of all can fill them. */
const OTHER_SLOTS = 4
/** Well below the life of a claim. The provider's client bounds the wait for the next byte, not for the last. */
const MOST_MS = 30_000
/** A process that is to end does not wait longer for the provider; another takes the customer at once. */
const CLOSING_MS = 5_000

/** Handles what waits in the inbox, customer by customer, beside the requests. */
@Injectable()
export class BillingWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Billing')
  private timer: NodeJS.Timeout | undefined
  private readonly running = new Map<ClaimedWork, Promise<void>>()
  private claiming: Promise<void> | null = null
  private isNudged = false
  private isClosing = false
  private readonly closing = new AbortController()

  constructor(
    private readonly work: BillingWork,
    private readonly sync: CustomerSync,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.nudge(), LOOK_EVERY_MS).unref()
  }

  /** There may be work: a free slot takes the next piece. Returns at once. */
  nudge(): void {
    this.isNudged = true
    if (this.isClosing || this.claiming || this.running.size >= SLOTS) return
    this.isNudged = false
    this.claiming = this.fill().finally(() => {
      this.claiming = null
      if (this.isNudged) this.nudge()
    })
  }

  /** Resolves when nothing is due any more. */
  async settled(): Promise<void> {
    this.nudge()
    while (this.claiming || this.running.size > 0)
      await (this.claiming ?? Promise.race(this.running.values()))
  }

  /** Events wait for nothing only if something went wrong; then not for long. */
  @Interval(SAFETY_NET_EVERY_MS)
  async findForgotten(): Promise<void> {
    try {
      const customers = await this.work.askForForgotten()
      if (customers === 0) return
      this.logger.error(`Events of ${customers} customers waited and nothing was going to handle them`)
      this.nudge()
    } catch (error) {
      this.logger.warn(`Events may wait: ${(error as Error).message}`)
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true
    clearInterval(this.timer)
    await this.claiming
    const timer = setTimeout(() => this.closing.abort(), CLOSING_MS)
    await Promise.all(this.running.values())
    clearTimeout(timer)
  }

  private async fill(): Promise<void> {
    const free = SLOTS - this.running.size
    const others = [...this.running.keys()].filter(isOther).length
    try {
      const claimed = await this.work.claim(free, Math.min(free, Math.max(OTHER_SLOTS - others, 0)))
      for (const work of claimed) this.start(work)
    } catch (error) {
      this.logger.warn(`Events wait: ${(error as Error).message}`)
    }
  }

  private start(work: ClaimedWork): void {
    const done = this.run(work).finally(() => {
      this.running.delete(work)
      this.nudge()
    })
    this.running.set(work, done)
  }

  private async run(work: ClaimedWork): Promise<void> {
    const limit = AbortSignal.any([AbortSignal.timeout(MOST_MS), this.closing.signal])
    const tooLate = new Promise<never>((_, reject) => {
      limit.addEventListener('abort', () => reject(limit.reason), { once: true })
    })
    try {
      await Promise.race([this.sync.run(work, limit), tooLate])
    } catch (error) {
      await (this.closing.signal.aborted ? this.release(work) : this.postpone(work, error as Error))
    }
  }

  private async postpone(work: ClaimedWork, error: Error): Promise<void> {
    const reason = reasonOf(error)
    try {
      const isGivenUp = await this.work.retry(work, reason)
      if (isGivenUp) this.logger.error(`Given up on customer ${work.customerId}: ${reason}`)
      else this.logger.warn(`Customer ${work.customerId} waits: ${reason}`)
    } catch {
      // The claim runs out by itself.
    }
  }

  private async release(work: ClaimedWork): Promise<void> {
    await this.work.release(work).catch(() => {
      // The claim runs out by itself.
    })
  }
}

function isOther({ isRoutine, attempts }: ClaimedWork): boolean {
  return isRoutine || attempts > 0
}

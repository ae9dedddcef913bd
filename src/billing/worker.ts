import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { CustomerSync } from './customer-sync.js'
import { BillingQueue, type ClaimedWork } from './inbox.js'

/**
 * Picks up what a dead replica left and what is due for a retry; everything else comes through
 * {@link BillingWorker.nudge}.
 */
const POLL_EVERY_MS = 1_000
const SAFETY_NET_EVERY_MS = 60_000
/** How many customers at once: logins use the same database, and checkouts the same provider. */
const SLOTS = 6
/** How many slots retries and routine comparisons can fill; the others are for what has just happened. */
const DEFERRABLE_SLOTS = 4
/** A third of the lifetime of a claim. Most work is done before. */
const RENEW_EVERY_MS = 5_000
/** However long a claim is renewed. The provider's client bounds only the wait for the next byte. */
const MAX_MS = 30_000
/** A stopping process waits no longer than this for the provider; another takes the customer at once. */
const CLOSING_MS = 5_000

/** Handles what waits in the inbox, customer by customer, in the background. */
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
    private readonly queue: BillingQueue,
    private readonly sync: CustomerSync,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.nudge(), POLL_EVERY_MS).unref()
  }

  /** There may be work: a free slot takes it. Returns at once. */
  nudge(): void {
    this.isNudged = true
    if (this.isClosing || this.claiming || this.running.size >= SLOTS) return
    this.isNudged = false
    this.claiming = this.fill().finally(() => {
      this.claiming = null
      if (this.isNudged) this.nudge()
    })
  }

  /** Resolves when nothing is due any longer. */
  async settled(): Promise<void> {
    this.nudge()
    while (this.claiming || this.running.size > 0)
      await (this.claiming ?? Promise.race(this.running.values()))
  }

  /** Waiting events that no worker will handle mean a bug; this bounds how long they wait. */
  @Interval(SAFETY_NET_EVERY_MS)
  async findUnqueued(): Promise<void> {
    try {
      const customers = await this.queue.addUnqueued()
      if (customers === 0) return
      this.logger.error(`Found events of ${customers} customers that were not queued`)
      this.nudge()
    } catch (error) {
      this.logger.warn(`Could not look for waiting events: ${causeMessage(error)}`)
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
    const deferrable = [...this.running.keys()].filter(isDeferrable).length
    try {
      const claimed = await this.queue.claim(free, Math.min(free, Math.max(DEFERRABLE_SLOTS - deferrable, 0)))
      for (const work of claimed) this.start(work)
    } catch (error) {
      this.logger.warn(`Events cannot be handled now: ${causeMessage(error)}`)
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
    const limit = AbortSignal.any([AbortSignal.timeout(MAX_MS), this.closing.signal])
    const tooLate = new Promise<never>((_, reject) => {
      limit.addEventListener('abort', () => reject(limit.reason))
    })
    const renewing = setInterval(() => void this.renew(work), RENEW_EVERY_MS).unref()
    try {
      const isFinished = await Promise.race([this.sync.run(work, limit), tooLate])
      if (!isFinished) await this.queue.release(work)
    } catch (error) {
      await (this.closing.signal.aborted ? this.release(work) : this.postpone(work, error as Error))
    } finally {
      clearInterval(renewing)
    }
  }

  private async renew(work: ClaimedWork): Promise<void> {
    await this.queue.renew(work).catch(() => {
      // The next time may still be early enough. Without the claim, another worker looks at the customer as well.
    })
  }

  private async postpone(work: ClaimedWork, error: Error): Promise<void> {
    const reason = causeMessage(error)
    try {
      const isGivenUp = await this.queue.retry(work, reason)
      if (isGivenUp) this.logger.error(`Given up on customer ${work.customerId}: ${reason}`)
      else this.logger.warn(`Customer ${work.customerId} will be tried again: ${reason}`)
    } catch {
      // The claim expires by itself.
    }
  }

  private async release(work: ClaimedWork): Promise<void> {
    await this.queue.release(work).catch(() => {
      // The claim expires by itself.
    })
  }
}

/** Whether it is a retry or a routine comparison, not something that has just happened. */
function isDeferrable({ isRoutine, attempts }: ClaimedWork): boolean {
  return isRoutine || attempts > 0
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { BillingWork, type ClaimedWork } from './billing-work.js'
import { CustomerSync } from './customer-sync.js'

/** Finds what a replica that died has left, and what is due again; everything else comes by {@link BillingWorker.nudge}. */
const LOOK_EVERY_MS = 1_000
/** Customers at once: the provider and the database are asked by logins' neighbours too. */
const AT_ONCE = 4

/** Handles what waits in the inbox, customer by customer, beside the requests. */
@Injectable()
export class BillingWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Billing')
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | null = null
  private isNudged = false
  private isClosing = false

  constructor(
    private readonly work: BillingWork,
    private readonly sync: CustomerSync,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.nudge(), LOOK_EVERY_MS).unref()
  }

  /** There may be work. Returns at once. */
  nudge(): void {
    this.isNudged = true
    if (this.isClosing || this.running) return
    this.running = this.runWhileNudged().finally(() => {
      this.running = null
      if (this.isNudged) this.nudge()
    })
  }

  /** Resolves when nothing is due any more. */
  async settled(): Promise<void> {
    this.nudge()
    while (this.running) await this.running
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true
    clearInterval(this.timer)
    await this.running
  }

  private async runWhileNudged(): Promise<void> {
    while (this.isNudged && !this.isClosing) {
      this.isNudged = false
      const claimed = await this.claim()
      await Promise.all(claimed.map(work => this.run(work)))
      if (claimed.length > 0) this.isNudged = true
    }
  }

  private async claim(): Promise<ClaimedWork[]> {
    try {
      return await this.work.claim(AT_ONCE)
    } catch (error) {
      this.logger.warn(`Events wait: ${(error as Error).message}`)
      return []
    }
  }

  private async run(work: ClaimedWork): Promise<void> {
    try {
      await this.sync.run(work)
    } catch (error) {
      await this.postpone(work, error as Error)
    }
  }

  private async postpone(work: ClaimedWork, { message }: Error): Promise<void> {
    try {
      const isGivenUp = await this.work.retry(work, message)
      if (isGivenUp) this.logger.error(`Given up on customer ${work.customerId}: ${message}`)
      else this.logger.warn(`Customer ${work.customerId} waits: ${message}`)
    } catch {
      // The claim runs out by itself.
    }
  }
}

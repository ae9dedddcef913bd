import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { Interval } from '@nestjs/schedule'
import { ForeignCustomers } from '../customers/foreign-customers.js'
import { inWords, ProviderKey } from './provider-key.js'

const RETRY_MS = 60_000

/** Logs at start which account and mode payments go to, and whether customers belong to another. */
@Injectable()
export class ProviderKeyCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger('Billing')
  private isDone = false

  constructor(
    private readonly key: ProviderKey,
    private readonly foreign: ForeignCustomers,
    private readonly server: HttpAdapterHost,
  ) {}

  /** In the background: a provider that is down must not keep anybody from logging in. */
  onApplicationBootstrap(): void {
    // At the command line nobody would read it, and not every command needs the provider.
    if (this.server.httpAdapter) void this.check()
    else this.isDone = true
  }

  @Interval(RETRY_MS)
  async check(): Promise<void> {
    if (this.isDone) return
    try {
      const identity = await this.key.identify()
      this.logger.log(`Payments go to ${inWords(identity)}`)
      for (const { customers, ...other } of await this.foreign.count())
        this.logger.error(
          `${customers} accounts have customers of another key (${inWords(other)}): they can neither pay nor change ` +
            'anything. If STRIPE_SECRET_KEY is right, run billing:forget-customers',
        )
      this.isDone = true
    } catch (error) {
      this.logger.warn(`Cannot tell yet which Stripe account payments go to: ${(error as Error).message}`)
    }
  }
}

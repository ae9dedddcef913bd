import { Controller, Get, type OnApplicationBootstrap, Post } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { RouteConfig } from '@nestjs/platform-fastify'
import { ApiExcludeController } from '@nestjs/swagger'
import { isNull, notInArray } from 'drizzle-orm'
import { Database } from '../platform/database/database.js'
import { providerEvents, subscriptions } from '../platform/database/schema/billing.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { SIGNED_BODY } from '../platform/http/edge/bodies.js'
import { Logger, pluralize } from '../platform/log.js'
import { LiveSession, MainSite } from '../sessions/guards.js'
import { Public } from '../tokens/jwt.guard.js'
import { ENDED_STATUSES } from './subscriptions.js'

/** The routes of payments where nothing is sold: `PAYMENTS_OFF` (403), after the checks that come first everywhere. */
@ApiExcludeController()
@Controller('api')
export class PaymentsOffController implements OnApplicationBootstrap {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly server: HttpAdapterHost,
  ) {}

  /** In the background, and not at the command line. */
  onApplicationBootstrap(): void {
    if (this.server.httpAdapter) void this.report()
  }

  /** JwtGuard (global) is check 1; @MainSite adds checks 2 to 4. */
  @Post('subscription/create')
  @MainSite({ permission: 'payments' })
  create(): never {
    throw new ApiError('PAYMENTS_OFF')
  }

  @Post('subscription/portal')
  @MainSite({ permission: 'payments' })
  openPortal(): never {
    throw new ApiError('PAYMENTS_OFF')
  }

  @Get('subscription')
  @LiveSession({ enrolled: true })
  read(): never {
    throw new ApiError('PAYMENTS_OFF')
  }

  @Get('invoices')
  @MainSite({ permission: 'payments' })
  listInvoices(): never {
    throw new ApiError('PAYMENTS_OFF')
  }

  @Get('plans')
  listPlans(): never {
    throw new ApiError('PAYMENTS_OFF')
  }

  /** Nobody has a secret to sign with. */
  @Public()
  @Post('webhooks/stripe')
  @RouteConfig(SIGNED_BODY)
  receive(): never {
    throw new ApiError('PAYMENTS_OFF')
  }

  private async report(): Promise<void> {
    try {
      // What AccountSettlement.isSettled waits for.
      const going = await this.database.run(db =>
        db.$count(subscriptions, notInArray(subscriptions.status, ['none', ...ENDED_STATUSES])),
      )
      const waiting = await this.database.run(db => db.$count(providerEvents, isNull(providerEvents.effect)))
      this.logger.log('Payments are off')
      if (going + waiting > 0)
        this.logger.warn(
          `Payments are off, but ${pluralize(going, 'subscription')} had not ended and ${pluralize(waiting, 'event')} had ` +
            'not been handled when they were on: the provider goes on billing, and these accounts cannot be deleted',
        )
    } catch (error) {
      this.logger.warn(`Cannot tell whether subscriptions are left: ${causeMessage(error)}`)
    }
  }
}

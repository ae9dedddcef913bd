import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Body, Controller, Get, Injectable, Post, Query, Req } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger'
import { IsString, Matches } from 'class-validator'
import type { FastifyRequest } from 'fastify'
import { PaymentStepUpGuard } from '../auth/reauthentication.js'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import {
  Flag,
  field,
  Instant,
  ListOf,
  Nested,
  OneOf,
  Text,
  TextsByName,
  Url,
  Whole,
} from '../platform/http/fields.js'
import { NO_LIMITS, PlansFile } from '../platform/plans.js'
import { LiveSession, MainSite } from '../sessions/guards.js'
import { handleOf } from '../sessions/session.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { presentedSessionIds } from '../sessions/session-cookie.js'
import { CurrentCaller } from '../tokens/jwt.guard.js'
import { PlanCatalog } from './catalog.js'
import { type CheckoutIntent, CheckoutService, isSafeReturnUrl, withPortal } from './checkout.js'
import { BillingCustomers } from './customers.js'
import { PortalService } from './portal.js'
import { Seats } from './provider-updates.js'
import { PaymentRequests, PROVIDER_REFUSALS, stripeSettingsOf } from './stripe.js'
import { SubscriptionQueries } from './subscription-queries.js'
import { isLive, isPaymentPending, SUBSCRIPTION_STATES, Subscriptions } from './subscriptions.js'

class LimitsAnswer {
  @Whole({ nullable: true, example: 5, description: 'Satellites of the account; null means any number' })
  satellites!: number | null

  @Whole({
    nullable: true,
    example: 20,
    description: 'Active users, the owner included; null means any number',
  })
  seats!: number | null
}

class PlanAnswer {
  @Text({ example: 'price_monthly', description: 'For `POST /api/subscription/create`' }) priceId!: string
  @Text({ example: 'Team', description: 'From the plans file, or else from the provider' }) name!: string

  @TextsByName({
    example: { de: 'Team' },
    description: 'What it is called in other languages, by their BCP 47 tags',
  })
  names!: Record<string, string>

  @ListOf(String, {
    example: ['Your whole team', 'Every report'],
    description: 'What it offers: from the plans file, or else the marketing features of the product',
  })
  features!: string[]

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    example: { de: ['Ihr ganzes Team', 'Alle Berichte'] },
    description: 'The features in other languages, by their BCP 47 tags',
  })
  translatedFeatures!: Record<string, string[]>

  @Whole({
    nullable: true,
    example: 2000,
    description:
      "For one period, or one seat of it, in the currency's smallest unit; null where it depends on usage",
  })
  amount!: number | null

  @Text({ example: 'usd', description: 'ISO 4217, lower case' }) currency!: string
  @OneOf(['day', 'week', 'month', 'year']) interval!: string
  @Whole({ example: 1, description: 'How many of them a period has' }) intervalCount!: number
  @Flag({ description: 'Whether each active user is billed' }) seats!: boolean
  @Nested(LimitsAnswer, { description: 'How many an account may have with it' }) limits!: LimitsAnswer

  @Whole({ example: 0, description: "How many days are free at first, for the caller's account" })
  trialDays!: number
}

class PlansAnswer {
  @ListOf(PlanAnswer) plans!: PlanAnswer[]
}

@ApiTags('Billing')
@Controller('api/plans')
export class PlansController {
  constructor(
    private readonly catalog: PlanCatalog,
    private readonly customers: BillingCustomers,
    private readonly file: PlansFile,
  ) {}

  /** After one trial, no other is offered. */
  @Get()
  @ApiOperation({
    summary: 'List the plans on sale',
    description:
      'Every price that can be bought, with amount and period as the payment provider has them. Up to ten minutes old; while the ' +
      'provider does not answer, the last known ones.',
  })
  @Answers(200, 'The plans, the default one first', PlansAnswer)
  @Refuses('PAYMENTS_OFF', 'DATABASE_UNAVAILABLE', 'TOO_BUSY', ...PROVIDER_REFUSALS)
  async list(@CurrentCaller() { accountId }: Caller) {
    const [plans, trialDays] = await Promise.all([
      this.catalog.list(),
      this.customers.trialDaysFor(accountId),
    ])
    return {
      plans: plans.map(plan => ({
        ...plan,
        limits: this.file.limitsOf(plan.priceId) ?? NO_LIMITS,
        trialDays,
      })),
    }
  }
}

/** Its length is a reason for `INVALID_RETURN_URL`, like everything else about it. */
const ReturnUrl = (example: string) =>
  field(
    { type: String, format: 'uri', maxLength: 2048 },
    { optional: true, description: 'Where the browser goes afterwards; the main site by default', example },
    IsString(),
  )

class CreateSubscriptionBody {
  @Text({
    optional: true,
    max: 255,
    description: 'One of STRIPE_PRICE_IDS; the first of them by default',
    example: 'price_monthly',
  })
  priceId?: string

  @ReturnUrl('https://shop-one.example.net/thanks') return?: string
}

class CheckoutAnswer {
  @Url({ description: "The payment provider's page; send the browser there" }) checkoutUrl!: string
}

class PortalBody {
  @ReturnUrl('https://www.example.com/account') return?: string
}

class PortalAnswer {
  @Url({ description: "The payment provider's page; send the browser there" }) url!: string
}

class SubscriptionQuery {
  @Text({
    optional: true,
    description:
      "The `checkout` parameter that the browser came back with, or the provider's id of the checkout",
  })
  @Matches(/^[A-Za-z0-9_-]{1,255}$/)
  checkout?: string

  @OneOf(['closed'], {
    optional: true,
    description: 'The `portal` parameter that the browser came back with',
  })
  portal?: 'closed'
}

class SubscriptionAnswer {
  @OneOf([
    'none',
    'incomplete',
    'incomplete_expired',
    'trialing',
    'active',
    'past_due',
    'canceled',
    'unpaid',
    'paused',
  ])
  status!: string

  @OneOf(SUBSCRIPTION_STATES, {
    description:
      'What this means for the account. It has its plan while `trialing`, `active` or `past_due` (a payment is due, until `graceUntil`). ' +
      '`pending`: the first payment is on its way, which can take days. `unconfirmed`: the bank asks the customer to confirm it first',
  })
  state!: string

  @Text({ nullable: true, example: 'price_monthly' }) plan!: string | null

  @Text({ nullable: true, example: 'Team', description: "The plan's name, for people" })
  planName!: string | null

  @TextsByName({
    example: { de: 'Team' },
    description: 'What the plan is called in other languages, by their BCP 47 tags',
  })
  planNames!: Record<string, string>

  @Whole({ nullable: true, example: 1, description: 'How many seats are billed' }) quantity!: number | null
  @Instant({ nullable: true }) currentPeriodEnd!: string | null

  @Flag({ description: 'Whether a cancellation is scheduled; it lives until `endsAt`' })
  cancelAtPeriodEnd!: boolean

  @Instant({ nullable: true, description: 'When it ends or has ended; null while no end is set' })
  endsAt!: string | null

  @Instant({
    nullable: true,
    description: 'When the next period is charged; null when none will be, or a payment is due already',
  })
  renewsAt!: string | null

  @Instant({ nullable: true }) graceUntil!: string | null

  @Url({
    nullable: true,
    description:
      "While `unconfirmed`, the payment provider's page to confirm the payment; only with the cookie of a main " +
      'session that has the payments permission, because anyone with the address can open it',
  })
  confirmUrl!: string | null

  @Nested(LimitsAnswer, { description: 'How many the account may have now' }) limits!: LimitsAnswer

  @OneOf(['pending', 'active'], {
    optional: true,
    description: 'Only with `checkout`. `pending`: no payment has arrived yet, or it takes days',
  })
  checkout?: string
}

/**
 * Buying and managing subscriptions. Throws `PAYMENT_PROVIDER_UNAVAILABLE` and `PAYMENT_PROVIDER_REFUSED` (503) and
 * `PAYMENT_PROVIDER_FAILED` (502) within 10 s, and `TOO_MANY_ATTEMPTS` (429) for callers who ask too often.
 */
@Injectable()
export class BillingService {
  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly seats: Seats,
    private readonly customers: BillingCustomers,
    private readonly satellites: Satellites,
    private readonly subscriptions: Subscriptions,
    private readonly checkouts: CheckoutService,
    private readonly portal: PortalService,
    private readonly requests: PaymentRequests,
  ) {}

  /**
   * The URL of a hosted page: a checkout, or the page for changing the plan while a subscription is live.
   * Throws `UNKNOWN_PRICE` and `INVALID_RETURN_URL` (400), `ALREADY_SUBSCRIBED` (409) for the plan that the
   * account has, `PAYMENT_PENDING` (409) while a first payment is on its way, `CURRENCY_FIXED` (409) for a plan in
   * another currency than the account pays in, `PLAN_UNAVAILABLE` (409) for one that the provider does not sell, and
   * `ACCOUNT_CLOSING` (409).
   */
  async startCheckout(actor: SessionActor, body: CreateSubscriptionBody): Promise<string> {
    const intent = await this.intentOf(actor.accountId, body)
    const { status, plan, firstPayment } = await this.subscriptions.find(actor.accountId)
    if (isPaymentPending({ status, firstPayment })) throw new ApiError('PAYMENT_PENDING')
    if (isLive(status) && plan === intent.priceId) throw new ApiError('ALREADY_SUBSCRIBED')
    return this.requests.click(actor, intent.priceId, () =>
      isLive(status) ? this.portal.changePlan(actor, intent) : this.checkouts.start(actor, intent),
    )
  }

  /**
   * The URL of the provider's pages for invoices, cards and cancelling. Throws `INVALID_RETURN_URL` and
   * `NEVER_SUBSCRIBED`.
   */
  async openPortal(actor: SessionActor, requested: string | undefined): Promise<string> {
    const returnUrl = withPortal(this.returnUrlOf(actor.accountId, requested))
    return this.requests.click(actor, 'portal', () => this.portal.open(actor, returnUrl))
  }

  private async intentOf(accountId: string, body: CreateSubscriptionBody): Promise<CheckoutIntent> {
    const { priceIds } = stripeSettingsOf(this.settings)
    const { priceId = priceIds[0] as string } = body
    if (!priceIds.includes(priceId)) throw new ApiError('UNKNOWN_PRICE')
    const returnUrl = this.returnUrlOf(accountId, body.return)
    const quantity = await this.database.run(db => this.seats.quantityFor(db, accountId, priceId))
    const trialDays = await this.customers.trialDaysFor(accountId)
    return { priceId, quantity, returnUrl, trialDays }
  }

  /** The main site's front page when none was requested. */
  private returnUrlOf(accountId: string, requested = `${this.settings.mainOrigin}/`): string {
    const satellites = { has: (origin: string) => this.satellites.isOf(accountId, origin) }
    const { mainOrigin } = this.settings
    if (!isSafeReturnUrl(requested, { mainOrigin, satellites })) throw new ApiError('INVALID_RETURN_URL')
    return requested
  }
}

@ApiTags('Billing')
@Controller('api/subscription')
export class BillingController {
  constructor(
    private readonly billing: BillingService,
    private readonly subscriptionQueries: SubscriptionQueries,
  ) {}

  /** JwtGuard (global) is check 1; @MainSite adds checks 2 to 4. */
  @Post('create')
  @MainSite({ permission: 'payments', guard: PaymentStepUpGuard })
  @ApiOperation({
    summary: 'Start a hosted checkout',
    description:
      'Main site only: access token and session cookie must belong to the same session, and it must currently have the ' +
      'payments permission. Asking again while a checkout of the same price and return address is open gives the same URL. ' +
      'While a first payment is on its way, nothing can be bought (409). With a live subscription, another price gives the page for changing the plan, which leads back with `portal=closed`. After payment the browser comes ' +
      'back to the return address with `checkout=<id>` in its query. ' +
      'An account that is going to be deleted cannot buy until its owner cancels the deletion (409).',
  })
  @Answers(201, 'A page is open', CheckoutAnswer)
  @Refuses(
    'PAYMENTS_OFF',
    'UNKNOWN_PRICE',
    'INVALID_RETURN_URL',
    'ALREADY_SUBSCRIBED',
    'PAYMENT_PENDING',
    'CURRENCY_FIXED',
    'PLAN_UNAVAILABLE',
    'ACCOUNT_CLOSING',
    'TOO_BUSY',
    ...PROVIDER_REFUSALS,
  )
  async create(@CurrentActor() actor: SessionActor, @Body() body: CreateSubscriptionBody) {
    return { checkoutUrl: await this.billing.startCheckout(actor, body) }
  }

  @Post('portal')
  @MainSite({ permission: 'payments', guard: PaymentStepUpGuard })
  @ApiOperation({
    summary: 'Open the billing portal',
    description:
      'Main site only, like a checkout. Subscriptions are cancelled and resumed there. It leads back to the return address with `portal=closed` in its query.',
  })
  @Answers(201, 'The page is open, for some minutes', PortalAnswer)
  @Refuses('PAYMENTS_OFF', 'INVALID_RETURN_URL', 'NEVER_SUBSCRIBED', 'TOO_BUSY', ...PROVIDER_REFUSALS)
  async openPortal(@CurrentActor() actor: SessionActor, @Body() { return: returnUrl }: PortalBody) {
    return { url: await this.billing.openPortal(actor, returnUrl) }
  }

  @Get()
  @LiveSession({ enrolled: true })
  @ApiOperation({
    summary: "The account's subscription",
    description:
      'As the payment provider has it: a return from its page proves nothing. With `checkout`, after a return from there, ' +
      'the provider is asked if its event has not arrived yet: `pending` may still become `active`. With `portal=closed` it is asked ' +
      'for callers with the payments permission. Either is in the query of the address that the browser comes back to.',
  })
  @Answers(200, 'The subscription; status `none` when there never was one', SubscriptionAnswer)
  @Refuses('PAYMENTS_OFF', 'NOT_FOUND', 'TOO_MANY_ATTEMPTS')
  async read(
    @CurrentActor() actor: SessionActor,
    @Query() query: SubscriptionQuery,
    @Req() request: FastifyRequest,
  ) {
    const subscription = await this.find(actor, query)
    if (subscription.confirmUrl === null) return subscription
    // The page to confirm a payment shows what invoices show, for which an access token alone is not enough.
    const hasCookie = presentedSessionIds(request).some(sessionId => handleOf(sessionId) === actor.sid)
    const mayConfirm = hasCookie && actor.source === 'main' && actor.permissions.payments
    const isShown = mayConfirm && (await this.subscriptionQueries.mayBePaid(actor))
    return isShown ? subscription : { ...subscription, confirmUrl: null }
  }

  private find(actor: SessionActor, { checkout, portal }: SubscriptionQuery) {
    if (checkout !== undefined) return this.subscriptionQueries.readAfter(actor, checkout)
    return portal ? this.subscriptionQueries.readAfterPortal(actor) : this.subscriptionQueries.read(actor)
  }
}

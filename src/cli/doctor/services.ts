import type Stripe from 'stripe'
import { isSold } from '../../billing/catalog.js'
import { callStripe, callStripeOrNull, createStripe } from '../../billing/stripe.js'
import { openSmtp } from '../../mail/mailer.js'
import { isLoopback } from '../../platform/config/origin.js'
import { MAILS_TO_LOG } from '../../platform/config/readers.js'
import type { Settings } from '../../platform/config/settings.js'
import { type ApiError, causeMessage } from '../../platform/errors/api-error.js'
import { type Clock, secondsAfter, unixSeconds } from '../../platform/time.js'
import { withPostgres } from './database.js'
import { type Check, type Finding, fault, notStarted, ok, skipped, warning } from './finding.js'

const MAIL = 'mail'

/** Connects to SMTP_URL as the service does, upgrades to TLS and logs in; sends no mail. */
export function mailCheck(settings: Settings): Check {
  return { name: MAIL, todo: 'Look at SMTP_URL', run: () => checkMail(settings) }
}

async function checkMail(settings: Settings): Promise<Finding[]> {
  const { mail, isSignUpOpen } = settings
  if (!mail) return [withoutMail(isSignUpOpen)]
  const { smtpUrl } = mail
  if (smtpUrl.protocol === MAILS_TO_LOG) return [ok(MAIL, 'mails go to the log')]
  const transport = openSmtp(smtpUrl)
  try {
    await transport.verify()
  } catch (error) {
    const saw = `${smtpUrl.host}: ${causeMessage(error)}`
    return [
      notStarted(MAIL, settings, smtpUrl, error) ?? fault(MAIL, saw, todoOf(error as NodeJS.ErrnoException)),
    ]
  } finally {
    transport.close()
  }
  const isPlain = smtpUrl.searchParams.get('tls') === 'off' && !isLoopback(smtpUrl.hostname)
  return [
    isPlain
      ? warning(
          MAIL,
          `${smtpUrl.host} may be used without TLS (tls=off): its network can then read the links in mails`,
          'Remove ?tls=off from SMTP_URL',
        )
      : ok(MAIL, `${smtpUrl.host} accepts mail${isLoopback(smtpUrl.hostname) ? '' : ' over TLS'}`),
  ]
}

function withoutMail(isSignUpOpen: boolean): Finding {
  const saw = 'SMTP_URL is empty: no user can reset a password or be invited'
  const todo = 'Set SMTP_URL and MAIL_FROM'
  return isSignUpOpen ? fault(MAIL, `${saw}, nor sign up`, todo) : warning(MAIL, saw, todo)
}

const MAIL_TODO: Readonly<Record<string, string>> = {
  EAUTH: 'Correct the user and the password in SMTP_URL',
  EDNS: 'Correct the host in SMTP_URL',
}

/** The mail library's code says which step failed; a problem with the certificate is only in the message. */
function todoOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (/STARTTLS/i.test(message)) return 'Let the mail server offer STARTTLS, or use another'
  if (/certificate|altname/i.test(message))
    return 'Give the mail server a valid certificate for its name, or use its right name in SMTP_URL'
  return MAIL_TODO[code] ?? 'Start the mail server, or correct SMTP_URL'
}

/** Everything at the payment provider that is set by hand. */
export function providerChecks(settings: Settings, clock: Clock): Check[] {
  if (!settings.stripe)
    return [{ name: 'payments', todo: '', run: () => [skipped('payments', 'they are off')] }]
  const { apiUrl, priceIds, webhookSecrets } = settings.stripe
  const stripe = createStripe(settings.stripe)
  const at = (name: string, run: () => Promise<Finding[]>): Check => ({
    name,
    todo: 'Look at STRIPE_SECRET_KEY, and whether the payment provider works',
    run: () => unlessNotStarted(name, settings, apiUrl, unlessForbidden(name, run)),
  })
  return [
    at('payments.prices', () => unlessUnreadable(checkPrices(stripe, priceIds))),
    at('payments.webhook', () => checkEndpoints(stripe, settings, webhookSecrets.length)),
    at('payments.deliveries', () => checkDeliveries(stripe, settings, clock)),
    at('payments.portal', () => checkPortal(stripe, priceIds)),
  ]
}

async function unlessNotStarted(
  name: string,
  settings: Settings,
  apiUrl: URL | null,
  found: Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await found
  } catch (error) {
    const finding = apiUrl && notStarted(name, settings, apiUrl, error)
    if (!finding) throw error
    return [finding]
  }
}

/** What the service reads itself: without the right to, no account can buy anything. */
async function unlessUnreadable(found: Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await found
  } catch (error) {
    if (!isPermissionError((error as ApiError).cause)) throw error
    const saw = 'STRIPE_SECRET_KEY may not read prices and products'
    return [fault('payments.prices', saw, 'Give the key read access to both')]
  }
}

/** A restricted key need not have the right to read all this. */
async function unlessForbidden(name: string, run: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await callStripe(run)
  } catch (error) {
    const cause = (error as ApiError).cause ?? error
    if (isPermissionError(cause))
      return [skipped(name, 'STRIPE_SECRET_KEY may not read this; look in the dashboard')]
    throw new Error(`The payment provider: ${causeMessage(cause)}`, { cause })
  }
}

function isPermissionError(error: unknown): boolean {
  return (error as Stripe.errors.StripeError | undefined)?.type === 'StripePermissionError'
}

async function checkPrices(stripe: Stripe, priceIds: readonly string[]): Promise<Finding[]> {
  const check = 'payments.prices'
  const prices = await Promise.all(
    priceIds.map(async id => ({
      id,
      price: await callStripeOrNull(() => stripe.prices.retrieve(id, { expand: ['product'] })),
    })),
  )
  const gone = prices.filter(({ price }) => !price || !isSold(price)).map(({ id }) => id)
  if (gone.length === 0) return [ok(check, `${priceIds.length} prices are on sale`)]
  return [
    fault(
      check,
      `The provider does not sell ${gone.join(', ')}`,
      'Correct STRIPE_PRICE_IDS, or make the prices and their products active',
    ),
  ]
}

/** docs/operations.md */
const OLDEST_API_VERSION = '2025-03-31'
const PAGE = 100

type Endpoint = Stripe.WebhookEndpoint

/** The endpoints that lead here: which events, which version, and a secret for each. */
export async function checkEndpoints(
  stripe: Stripe,
  settings: Settings,
  secrets: number,
): Promise<Finding[]> {
  const check = 'payments.webhook'
  const url = webhookUrl(settings)
  const { data } = await stripe.webhookEndpoints.list({ limit: PAGE })
  const ours = data.filter(endpoint => endpoint.url === url && endpoint.status === 'enabled')
  const thin = await thinFindings(stripe, url)
  if (ours.length === 0)
    return [fault(check, withoutEndpoint(data, url), `Create or enable it at the provider`), ...thin]
  const findings = [...ours.flatMap(versionFindings), ...eventFindings(ours), ...thin]
  if (secrets < ours.length)
    findings.push(
      fault(
        check,
        `${ours.length} endpoints lead here, but STRIPE_WEBHOOK_SECRET has ${secrets} secrets`,
        'List the signing secret of each, or delete the endpoints that are not needed',
      ),
    )
  return findings.length > 0
    ? findings
    : [ok(check, `${ours.map(({ id }) => id).join(', ')} leads to ${url}`)]
}

/** What sends thin events is not among the endpoints; the service drops them, because they do not say what happened. */
async function thinFindings(stripe: Stripe, url: string): Promise<Finding[]> {
  const params = { limit: PAGE, include: ['webhook_endpoint.url'] }
  // A restricted key need not have the right to, and everything else is known without it.
  const { data } = await stripe.v2.core.eventDestinations.list(params).catch(() => ({ data: [] }))
  return data
    .filter(({ event_payload: payload, status }) => payload === 'thin' && status === 'enabled')
    .filter(destination => destination.webhook_endpoint?.url === url)
    .map(({ id }) =>
      fault(
        'payments.webhook',
        `${id} sends thin events to ${url}, which the service cannot read`,
        'Create an event destination with the payload style snapshot instead, and delete this one',
      ),
    )
}

function webhookUrl({ publicUrl }: Settings): string {
  return `${publicUrl}/api/webhooks/stripe`
}

function withoutEndpoint(all: readonly Endpoint[], url: string): string {
  const disabled = all.find(endpoint => endpoint.url === url)
  return disabled ? `${disabled.id} leads to ${url} but is disabled` : `No webhook endpoint leads to ${url}`
}

function versionFindings({ id, api_version: version }: Endpoint): Finding[] {
  const check = 'payments.webhook'
  const todo = `Create an endpoint with a version from ${OLDEST_API_VERSION} on, list both secrets, then delete ${id}`
  if (version === null)
    return [warning(check, `${id} has the default API version of the account, which may be old`, todo)]
  return version < OLDEST_API_VERSION
    ? [fault(check, `${id} sends events of the API version ${version}`, todo)]
    : []
}

/** One of several endpoints may send what another does not. */
function eventFindings(endpoints: readonly Endpoint[]): Finding[] {
  const missing = missingEvents(endpoints.flatMap(endpoint => endpoint.enabled_events))
  if (missing.length === 0) return []
  const ids = endpoints.map(({ id }) => id).join(', ')
  return [fault('payments.webhook', `${ids} does not send ${missing.join(', ')}`, 'Add these events to it')]
}

/** The events that the endpoint at the provider has to send (docs/operations.md). */
const WEBHOOK_EVENTS = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.deleted',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'payment_intent.processing',
  'charge.refunded',
  'charge.refund.updated',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'refund.created',
  'refund.updated',
  'refund.failed',
] as const

function missingEvents(enabled: readonly string[]): string[] {
  return enabled.includes('*') ? [] : WEBHOOK_EVENTS.filter(event => !enabled.includes(event))
}

/** More than an operator has to see before acting. */
const MAX_EVENTS = 1_000
const DAY_SECONDS = 24 * 60 * 60
/** Long enough for an event that was sent just now to arrive. */
const ON_ITS_WAY_SECONDS = 5 * 60

/** Whether the events of the last day have arrived; a wrong signing secret shows here and nowhere else. */
async function checkDeliveries(stripe: Stripe, { databaseUrl }: Settings, clock: Clock): Promise<Finding[]> {
  const check = 'payments.deliveries'
  const now = clock.now()
  const events = await stripe.events
    .list({
      delivery_success: false,
      created: { gte: unixSeconds(secondsAfter(now, -DAY_SECONDS)) },
      limit: PAGE,
    })
    .autoPagingToArray({ limit: MAX_EVENTS })
  const wanted = events.filter(({ type }) => (WEBHOOK_EVENTS as readonly string[]).includes(type))
  if (wanted.length === 0) return [ok(check, 'the events of the last day have arrived')]
  if (databaseUrl.startsWith('pglite:'))
    return [skipped(check, 'what has arrived is in the embedded database')]
  const lost = await findLost(databaseUrl, wanted).catch(() => null)
  if (!lost) return [skipped(check, 'what has arrived is in the database, which does not answer')]
  const isRefused = lost.some(event => event.isRefused)
  const late = lost.filter(({ created }) => created < unixSeconds(now) - ON_ITS_WAY_SECONDS)
  if (isRefused)
    return [
      fault(
        check,
        `${lost.length} events of the last day have not arrived; some were refused for their signature`,
        'Set STRIPE_WEBHOOK_SECRET to the signing secret of the endpoint',
      ),
    ]
  if (late.length === 0) return [ok(check, 'the newest events are on their way')]
  const todo = "Look at the endpoint's attempts in the dashboard: the provider does not reach PUBLIC_URL"
  return [fault(check, `${late.length} events of the last day have not arrived`, todo)]
}

interface LostEvent {
  readonly created: number
  /** Whether something was refused as a webhook after it was sent, and nothing has arrived since. */
  readonly isRefused: boolean
}

/** Those that are not in our inbox: others may have failed at another endpoint of the account. */
function findLost(databaseUrl: string, events: readonly Stripe.Event[]): Promise<LostEvent[]> {
  const created = new Map(events.map(event => [event.id, event.created]))
  return withPostgres(databaseUrl, async postgres => {
    const arrived = await postgres.rows<{ id: string }>(
      'select id from provider_events where id = any ($1)',
      [[...created.keys()]],
    )
    for (const { id } of arrived) created.delete(id)
    const { refused } = await postgres.row<{ refused: Date | null }>(
      `select max(at) as refused from audit_log
        where action = 'webhook' and outcome = 'refused' and at > now() - interval '1 day'`,
    )
    // What has arrived was signed with our secret: anyone may have posted what was refused.
    const { received } = await postgres.row<{ received: Date | null }>(
      'select max(received_at) as received from provider_events',
    )
    const isAfter = (at: Date | null, seconds: number) => at !== null && unixSeconds(at) >= seconds
    return [...created.values()].map(seconds => ({
      created: seconds,
      isRefused: isAfter(refused, seconds) && !isAfter(received, seconds),
    }))
  })
}

const PORTAL = 'payments.portal'

type Features = Stripe.BillingPortal.Configuration.Features

/** Whether the provider's portal allows what the service sends users there for (docs/operations.md). */
async function checkPortal(stripe: Stripe, priceIds: readonly string[]): Promise<Finding[]> {
  const { data } = await stripe.billingPortal.configurations.list({
    is_default: true,
    active: true,
    limit: 1,
    expand: ['data.features.subscription_update.products'],
  })
  const [configuration] = data
  if (!configuration)
    return [fault(PORTAL, 'The portal has no settings', 'Save its settings once in the dashboard')]
  const { features } = configuration
  const forbidden = missingFrom(features)
  const findings = [
    ...(forbidden.length > 0
      ? [fault(PORTAL, `The portal does not allow ${forbidden.join(', ')}`, 'Allow it in its settings')]
      : []),
    ...priceFindings(features, priceIds),
    ...prorationFindings(features),
  ]
  return findings.length > 0 ? findings : [ok(PORTAL, 'the portal allows what the service needs')]
}

function missingFrom({
  subscription_update: update,
  subscription_cancel: cancel,
  payment_method_update: methods,
  invoice_history: invoices,
}: Features): string[] {
  const allows = (change: string) => update.enabled && update.default_allowed_updates.includes(change)
  return [
    ...(allows('price') ? [] : ['changing the price']),
    ...(allows('quantity') ? [] : ['changing the quantity']),
    ...(cancel.enabled && cancel.mode === 'at_period_end' ? [] : ['cancelling at the end of the period']),
    ...(methods.enabled ? [] : ['changing payment methods']),
    ...(invoices.enabled ? [] : ['invoices']),
  ]
}

function priceFindings({ subscription_update: update }: Features, priceIds: readonly string[]): Finding[] {
  const listed = update.products?.flatMap(({ prices }) => prices)
  const missing = listed ? priceIds.filter(id => !listed.includes(id)) : []
  if (!update.enabled || missing.length === 0) return []
  const saw = `The portal does not offer ${missing.join(', ')}, which STRIPE_PRICE_IDS has`
  return [fault(PORTAL, saw, 'Add the prices to those that customers may change to')]
}

function prorationFindings({ subscription_update: update }: Features): Finding[] {
  if (!update.enabled || update.proration_behavior !== 'none') return []
  const saw = 'The portal does not prorate: a customer who changes just before a period ends pays less'
  return [warning(PORTAL, saw, 'Turn proration on in its settings')]
}

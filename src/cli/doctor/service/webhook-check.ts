import type Stripe from 'stripe'
import type { Settings } from '../../../platform/config/settings.js'
import { type Clock, secondsAfter, unixSeconds } from '../../../platform/time.js'
import { withPostgres } from '../database/postgres-session.js'
import { type Finding, fault, ok, skipped, warning } from '../finding.js'
import { missingEvents, WEBHOOK_EVENTS } from './webhook-events.js'

/** docs/operations.md */
const OLDEST_API_VERSION = '2025-03-31'
const PAGE = 100
/** More events than anybody has to see before acting. */
const MAX_EVENTS = 1_000
const DAY_SECONDS = 24 * 60 * 60
/** Long enough for an event that was sent just now to arrive. */
const ON_ITS_WAY_SECONDS = 5 * 60

type Endpoint = Stripe.WebhookEndpoint

/** The endpoints that lead here: which events, which version, and a secret for each. */
export async function checkEndpoints(stripe: Stripe, settings: Settings): Promise<Finding[]> {
  const check = 'payments.webhook'
  const url = webhookUrl(settings)
  const { data } = await stripe.webhookEndpoints.list({ limit: PAGE })
  const ours = data.filter(endpoint => endpoint.url === url && endpoint.status === 'enabled')
  const thin = await thinFindings(stripe, url)
  if (ours.length === 0)
    return [fault(check, withoutEndpoint(data, url), `Create or enable it at the provider`), ...thin]
  const { length: secrets } = settings.stripe.webhookSecrets
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

function webhookUrl({ publicUrl }: Settings): string {
  return `${publicUrl}/api/webhooks/stripe`
}

function withoutEndpoint(all: readonly Endpoint[], url: string): string {
  const disabled = all.find(endpoint => endpoint.url === url)
  return disabled ? `${disabled.id} leads to ${url} but is disabled` : `No webhook endpoint leads to ${url}`
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

/** Whether the events of the last day have arrived; a wrong signing secret shows here and nowhere else. */
export async function checkDeliveries(
  stripe: Stripe,
  { databaseUrl }: Settings,
  clock: Clock,
): Promise<Finding[]> {
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
    // What has arrived was signed with our secret: somebody else may have posted what was refused.
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

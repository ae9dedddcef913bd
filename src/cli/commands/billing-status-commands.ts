import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import Stripe from 'stripe'
import type { BillingHealth } from '../../billing/operations/billing-health.js'
import { BillingInspection } from '../../billing/operations/billing-inspection.js'
import { ForeignCustomers } from '../../billing/operations/foreign-customers.js'
import { SurplusSubscriptions } from '../../billing/operations/surplus-subscriptions.js'
import { describeIdentity, isAnswered, ProviderKey } from '../../billing/provider/payment-provider.js'
import { BillingWorker } from '../../billing/sync/billing-worker.js'
import { hasOpenInvoice } from '../../billing/sync/overdue-invoices.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Database } from '../../platform/database/database.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { inOneLine, pluralize } from '../../platform/log.js'
import { PlansFile } from '../../platform/plans.js'
import { Clock, Clock, secondsAfter, secondsAfter } from '../../platform/time.js'
import { type CommandContext, REASON, type WithReason, withService } from '../command-context.js'

type Print = CommandContext['print']

const LISTED = 50
/** Events are handled within seconds; this long means that something is wrong. */
const LONG_WAIT_MS = 15 * 60 * 1000

/** Each process records a refusal once an hour; plans are not bought every hour. */
const REFUSALS_SECONDS = 24 * 60 * 60

/** `billing:status`, and what it may ask for: `billing:end-surplus` and `billing:forget-customers`. */
export function addBillingStatusCommands(program: Command, context: CommandContext): void {
  program
    .command('billing:status')
    .description(
      'show what waits, was given up, is billed twice or is in no plan; exits with 1 when somebody has to act',
    )
    .action(() => withService(context, app => showStatus(app, context)))

  program
    .command('billing:end-surplus')
    .description(
      'end and refund a subscription that bills an account a second time; without an id, list them',
    )
    .argument('[subscription]', 'its id, as in the list')
    .option(...REASON)
    .action((id: string | undefined, { reason }: WithReason) =>
      withService(context, app =>
        id === undefined ? listSurplus(app, context) : endSurplus(app, id, reason, context),
      ),
    )

  program
    .command('billing:forget-customers')
    .description(
      'detach accounts from customers that belong to another secret key, so that they can buy again',
    )
    .option('--yes', 'do it (default: only list them)')
    .action(({ yes = false }: { yes?: boolean }) =>
      withService(context, app => forgetCustomers(app, yes, context)),
    )
}

async function showStatus(app: INestApplicationContext, { print }: CommandContext): Promise<void> {
  const inspection = new BillingInspection(app.get(Database))
  const health = await inspection.health()
  const problems = [
    ...showQueue(health, app.get(Clock).now(), print),
    ...(await showSurplus(app.get(SurplusSubscriptions), print)),
    ...(await showUnpaid(inspection, print)),
    ...(await showPaidButPaused(app, inspection, print)),
    ...(await showDisputes(inspection, print)),
    ...(await showUnlinked(inspection, print)),
    ...showUnknownPrices(app.get(PlansFile), health, print),
    ...(await showRefusals(inspection, app.get(Clock).now(), print)),
    ...(await showKey(app, print)),
  ]
  if (problems.length > 0) throw new Error(`Needs attention: ${problems.join(', ')}`)
}

/** This and the following functions print their part and return its problems. */
function showQueue(health: BillingHealth, now: Date, print: Print): string[] {
  const { waitingEvents, oldestWaiting: oldest, customersDue, customersFailed, customersParked } = health
  print(
    `Waiting: ${pluralize(waitingEvents, 'event')}${oldest ? `, the oldest since ${oldest.toISOString()}` : ''}`,
  )
  print(
    `Due: ${pluralize(customersDue, 'customer')}; failed: ${customersFailed}, of them given up: ${customersParked}`,
  )
  const isLate = oldest !== null && now.getTime() - oldest.getTime() > LONG_WAIT_MS
  return [
    ...(customersParked > 0 ? ['customers were given up'] : []),
    ...(isLate ? ['an event has waited for too long'] : []),
  ]
}

async function showSurplus(surplus: SurplusSubscriptions, print: Print): Promise<string[]> {
  const found = await surplus.list()
  for (const { accountId, subscriptionId } of found.slice(0, LISTED))
    print(`Account ${accountId} is billed for a second subscription, ${subscriptionId}`)
  return found.length > 0 ? ['accounts are billed twice'] : []
}

async function showUnpaid(inspection: BillingInspection, print: Print): Promise<string[]> {
  const found = await inspection.listUnpaid()
  for (const { accountId, subscriptionId } of found.slice(0, LISTED))
    print(`Account ${accountId} cannot pay for ${subscriptionId}, which the provider has marked as unpaid`)
  return found.length > 0 ? ['subscriptions are marked as unpaid'] : []
}

/** The provider may be set not to resume what it has paused, however much of it is paid. */
async function showPaidButPaused(
  app: INestApplicationContext,
  inspection: BillingInspection,
  print: Print,
): Promise<string[]> {
  const problems = new Set<string>()
  for (const { accountId, subscriptionId } of await inspection.listPausedUnpaid()) {
    try {
      if (await hasOpenInvoice(app.get(Stripe), subscriptionId)) continue
    } catch (error) {
      print(`Cannot tell who has paid for a paused subscription: ${inOneLine(causeMessage(error))}`)
      break
    }
    print(`Account ${accountId} has nothing left to pay for ${subscriptionId}, which the provider has paused`)
    problems.add('subscriptions are paid but paused')
  }
  return [...problems]
}

async function showDisputes(inspection: BillingInspection, print: Print): Promise<string[]> {
  const found = await inspection.listOpenDisputes()
  for (const { disputeId, since } of found.slice(0, LISTED))
    print(`A payment has been disputed since ${new Date(since).toISOString()}: ${disputeId}`)
  if (found.length > LISTED) print(`${found.length} disputes are open`)
  return found.length > 0 ? ['disputes are open'] : []
}

async function showUnlinked(inspection: BillingInspection, print: Print): Promise<string[]> {
  const found = await inspection.listUnlinked()
  for (const { customerId } of found.slice(0, LISTED))
    print(`Customer ${customerId} has bought one of our prices and belongs to no account: see billing:adopt`)
  return found.length > 0 ? ['customers who pay belong to no account'] : []
}

function showUnknownPrices(
  plans: PlansFile,
  { subscriptionsByPrice }: BillingHealth,
  print: Print,
): string[] {
  if (plans.version === null) return []
  const unknown = [...subscriptionsByPrice].filter(([priceId]) => plans.of(priceId) === null)
  for (const [priceId, count] of unknown)
    print(`${priceId} is in no plan: ${pluralize(count, 'subscription')}`)
  return unknown.length > 0 ? ['prices are in no plan'] : []
}

/** What users could not buy, or open, until somebody changes something. */
async function showRefusals(inspection: BillingInspection, now: Date, print: Print): Promise<string[]> {
  const found = await inspection.listRefusals(secondsAfter(now, -REFUSALS_SECONDS))
  for (const { reason, last } of found.slice(0, LISTED))
    print(`Refused to users, last logged at ${new Date(last).toISOString()}: ${inOneLine(reason)}`)
  return found.length > 0 ? ['the payment provider refuses what users need'] : []
}

/** A provider that is down must not hide the rest, which matters most then. */
async function showKey(app: INestApplicationContext, print: Print): Promise<string[]> {
  try {
    print(`Payments go to ${describeIdentity(await app.get(ProviderKey).identify())}`)
  } catch (error) {
    print(`Cannot tell where payments go: ${inOneLine(causeMessage(error))}`)
    return [
      isAnswered(error) ? 'the payment provider refuses the request' : 'the payment provider does not answer',
    ]
  }
  const others = await app.get(ForeignCustomers).count()
  for (const { customers, ...other } of others)
    print(`${pluralize(customers, 'customer')} of ${describeIdentity(other)}`)
  return others.length > 0 ? ['customers belong to another key'] : []
}

async function forgetCustomers(
  app: INestApplicationContext,
  isWanted: boolean,
  { print }: CommandContext,
): Promise<void> {
  const identity = await app.get(ProviderKey).identify()
  const customers = await app.get(ForeignCustomers).list()
  for (const { accountId, customerId } of customers.slice(0, LISTED))
    print(`Account ${accountId}, customer ${customerId}`)
  if (isWanted) {
    await app.get(ForeignCustomers).forget(customers)
    await app.get(BillingWorker).settled()
  }
  const which = `${pluralize(customers.length, 'customer')} not found in ${describeIdentity(identity)}`
  print(isWanted ? `Detached: ${which}` : `To be detached with --yes: ${which}`)
}

async function listSurplus(app: INestApplicationContext, { print }: CommandContext): Promise<void> {
  const found = await app.get(SurplusSubscriptions).list()
  for (const { accountId, subscriptionId } of found) print(`${subscriptionId}  account ${accountId}`)
  print(pluralize(found.length, 'surplus subscription'))
}

async function endSurplus(
  app: INestApplicationContext,
  id: string,
  reason: string | undefined,
  { print }: CommandContext,
): Promise<void> {
  const end = await app.get(SurplusSubscriptions).end(id, atCommandLine(reason))
  if (end === null)
    throw new Error(
      `${id} is not a second subscription of any account, or no longer one, so nothing was refunded; ` +
        'run this command without an id to list those',
    )
  const { refunds, hasEnded, failures } = end
  for (const { payment, amount, currency } of refunds)
    print(`Refunded: ${amount} ${currency} (smallest unit) of ${payment}`)
  for (const failure of failures) print(`Failed: ${inOneLine(failure)}`)
  await app.get(BillingWorker).settled()
  if (!hasEnded) throw new Error(`${id} has not ended; run this command again`)
  print(`${id} has ended`)
  if (failures.length > 0) throw new Error('Not everything was refunded')
}

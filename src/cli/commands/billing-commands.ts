import { setTimeout as sleep } from 'node:timers/promises'
import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import Stripe from 'stripe'
import { CustomerAdoption } from '../../billing/customer-adoption.js'
import { CustomerSync, hasOpenInvoice } from '../../billing/customer-sync.js'
import { BillingQueue } from '../../billing/inbox.js'
import {
  type BillingHealth,
  BillingInspection,
  BillingReplay,
  EVENT_STATES,
  type EventFilter,
  type EventState,
  type ListedEvent,
} from '../../billing/operations.js'
import { BillingReconciler, ForeignCustomers, SurplusSubscriptions } from '../../billing/reconciler.js'
import { describeIdentity, isAnswered, ProviderKey } from '../../billing/stripe.js'
import { Subscriptions } from '../../billing/subscriptions.js'
import { BillingWorker } from '../../billing/worker.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Database } from '../../platform/database/database.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { isId } from '../../platform/http/request.js'
import { inOneLine, pluralize } from '../../platform/log.js'
import { PlansFile } from '../../platform/plans.js'
import { Clock, secondsAfter } from '../../platform/time.js'
import { Users } from '../../users/users.js'
import { asEmail, type CommandContext, REASON, type WithReason, withPayments } from '../command-context.js'
import { isCustomerId } from '../import/imported-user.js'

/** A terminal page; more than a person reads. */
const LISTED = 50
const MAX_LISTED = 1_000
const MAX_REASON_LENGTH = 300
/** Another process may be handling the same customer. */
const WAIT_SECONDS = 15
const PROGRESS_EVERY_MS = 2_000
/** Events are handled within seconds; this long means that something is wrong. */
const LONG_WAIT_MS = 15 * 60 * 1000
/** Each process records a refusal once an hour; plans are not bought every hour. */
const REFUSALS_SECONDS = 24 * 60 * 60

type Print = CommandContext['print']

/** `billing:events`, `:replay`, `:adopt` and `:reconcile`; `:status`, and what it may ask for: `:end-surplus` and `:forget-customers`. */
export function addBillingCommands(program: Command, context: CommandContext): void {
  program
    .command('billing:events')
    .description("list the payment provider's events that wait, oldest first, one per line")
    .option('--state <state>', `only events in this state: ${EVENT_STATES.join(', ')}`)
    .option('--account <id>', 'only events of this account')
    .option('--limit <number>', `how many to list, at most ${MAX_LISTED}`, String(LISTED))
    .action(({ state, account, limit }: { state?: string; account?: string; limit: string }) => {
      const filter = filterOf(state, account)
      const max = limitOf(limit)
      return withPayments(context, app =>
        listEvents(new BillingInspection(app.get(Database)), filter, max, context),
      )
    })

  program
    .command('billing:replay')
    .description('handle an event again, whatever its state')
    .argument('<event>', 'its id, as in billing:events')
    .option(...REASON)
    .action((id: string, { reason }: WithReason) =>
      withPayments(context, app => replay(app, id, reason, context)),
    )

  program
    .command('billing:adopt')
    .description('link an account to the customer that it has at the payment provider already')
    .argument('<account>', "the account's id, or its owner's e-mail address")
    .argument('<customer>', "the provider's id of the customer")
    .option(...REASON)
    .action((account: string, customer: string, { reason }: WithReason) =>
      withPayments(context, app => adopt(app, { account, customer, reason }, context)),
    )

  program
    .command('billing:reconcile')
    .description('compare every customer with the payment provider now and correct what differs')
    .action(() => withPayments(context, app => reconcile(app, context)))

  program
    .command('billing:status')
    .description(
      'show what waits, was given up, is billed twice or is in no plan; exits with 1 when an operator has to act',
    )
    .action(() => withPayments(context, app => showStatus(app, context)))

  program
    .command('billing:end-surplus')
    .description(
      'end and refund a subscription that bills an account a second time; without an id, list them',
    )
    .argument('[subscription]', 'its id, as in the list')
    .option(...REASON)
    .action((id: string | undefined, { reason }: WithReason) =>
      withPayments(context, app =>
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
      withPayments(context, app => forgetCustomers(app, yes, context)),
    )
}

async function listEvents(
  inspection: BillingInspection,
  filter: EventFilter,
  limit: number,
  { print }: CommandContext,
): Promise<void> {
  const events = await inspection.listEvents(filter, limit)
  for (const event of events) print(lineOf(event))
  const all = events.length < limit ? events.length : await inspection.countEvents(filter)
  print(
    all > events.length
      ? `${events.length} of ${all} events (use --limit for more)`
      : pluralize(all, 'event'),
  )
}

function lineOf({
  id,
  state,
  type,
  customerId,
  accountId,
  receivedAt,
  effect,
  lastError,
}: ListedEvent): string {
  const reason = effect ?? (lastError && briefly(lastError))
  const words = [
    id,
    state,
    type,
    customerId ?? 'no customer',
    accountId ?? 'no account',
    receivedAt.toISOString(),
  ]
  return [...words, ...(reason ? [reason] : [])].join('  ')
}

async function replay(
  app: INestApplicationContext,
  id: string,
  reason: string | undefined,
  { print }: CommandContext,
): Promise<void> {
  const inspection = new BillingInspection(app.get(Database))
  const known = await inspection.findEvent(id)
  if (!known) throw new Error(`There is no event ${id}; billing:reconcile works without one`)
  if (known.customerId === null)
    throw new Error(`Event ${id} (${known.type}) does not concern a customer and has no effect`)
  await app.get(BillingReplay).request(id, atCommandLine(reason))
  await app.get(BillingWorker).settled()
  const { effect, lastError } = await outcomeOf(inspection, id)
  if (effect === null)
    throw new Error(
      `Event ${id} is still waiting: ${lastError ? briefly(lastError) : 'no process has handled it yet'}. It will be tried again`,
    )
  print(`Event ${id} (${known.type}) was handled: ${effect}`)
}

async function adopt(
  app: INestApplicationContext,
  { account, customer, reason }: { account: string; customer: string; reason: string | undefined },
  { print }: CommandContext,
): Promise<void> {
  const owner = account.includes('@') ? await app.get(Users).findByEmail(asEmail(account)) : null
  const accountId = owner?.role === 'owner' ? owner.accountId : account
  if (!isId(accountId)) throw new Error(`${account} is neither the id of an account nor its owner's address`)
  if (!isCustomerId(customer)) throw new Error(`${customer} is not the id of a customer`)
  await app.get(CustomerAdoption).adopt({ accountId, customerId: customer }, atCommandLine(reason))
  await app.get(CustomerSync).syncNow(customer)
  await app.get(BillingQueue).add(customer)
  await app.get(BillingWorker).settled()
  const { status } = await app.get(Subscriptions).find(accountId)
  print(`Account ${accountId} is customer ${customer} now; its subscription: ${status}`)
}

/** The event once it is handled or has failed, or as it is when time runs out. */
async function outcomeOf(inspection: BillingInspection, id: string): Promise<ListedEvent> {
  const triesLeft = Array.from({ length: WAIT_SECONDS * 4 })
  for (const _ of triesLeft) {
    const event = (await inspection.findEvent(id)) as ListedEvent
    if (event.effect !== null || (event.lastError !== null && !event.isClaimed)) return event
    await sleep(250)
  }
  return (await inspection.findEvent(id)) as ListedEvent
}

async function reconcile(app: INestApplicationContext, context: CommandContext): Promise<void> {
  const inspection = new BillingInspection(app.get(Database))
  const auditEnd = await inspection.auditEnd()
  const progress = setInterval(() => void printProgress(inspection, context), PROGRESS_EVERY_MS)
  try {
    const customers = await app.get(BillingReconciler).reconcile(Number.POSITIVE_INFINITY)
    await app.get(BillingWorker).settled()
    await allSynced(inspection)
    const repairs = await inspection.listRepairsAfter(auditEnd)
    for (const { accountId, detail } of repairs.slice(0, MAX_LISTED))
      context.print(
        `Corrected: account ${accountId}, subscription ${detail.subscription} is ${detail.status}`,
      )
    context.print(`Compared ${pluralize(customers, 'customer')}, corrected ${repairs.length}`)
  } finally {
    clearInterval(progress)
  }
  await requireNoneFailed(inspection, context)
}

async function printProgress(inspection: BillingInspection, { printError }: CommandContext): Promise<void> {
  // Progress only; the comparison itself reports what is wrong.
  const due = await inspection.countDue().catch(() => null)
  if (due !== null) printError(`Still waiting: ${pluralize(due, 'customer')}`)
}

/** Running servers may have taken some of them. Gives up when there is no progress for a while. */
async function allSynced(inspection: BillingInspection): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY
  let triesLeft = WAIT_SECONDS * 4
  for (let due = await inspection.countDue(); due > 0 && triesLeft > 0; due = await inspection.countDue()) {
    triesLeft = due < fewest ? WAIT_SECONDS * 4 : triesLeft - 1
    fewest = Math.min(due, fewest)
    await sleep(250)
  }
}

async function requireNoneFailed(
  inspection: BillingInspection,
  { printError }: CommandContext,
): Promise<void> {
  const failed = await inspection.listFailedSyncs()
  for (const { customerId, attempts, lastError } of failed.slice(0, LISTED))
    printError(`Customer ${customerId} failed ${attempts} times: ${briefly(lastError as string)}`)
  if (failed.length > 0)
    throw new Error(`Could not check ${pluralize(failed.length, 'customer')}; this will be tried again`)
  const due = await inspection.countDue()
  if (due > 0) throw new Error(`Still waiting: ${pluralize(due, 'customer')}; running servers continue`)
}

function filterOf(state?: string, account?: string): EventFilter {
  if (state !== undefined && !EVENT_STATES.includes(state as EventState))
    throw new Error(`Unknown state ${state}; known: ${EVENT_STATES.join(', ')}`)
  if (account !== undefined && !isId(account)) throw new Error(`${account} is not the id of an account`)
  return { ...(state && { state: state as EventState }), ...(account && { accountId: account }) }
}

function limitOf(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_LISTED) throw new Error(`--limit takes a number from 1 to ${MAX_LISTED}`)
  return limit
}

function briefly(reason: string): string {
  return inOneLine(reason).slice(0, MAX_REASON_LENGTH)
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

/** What users could not buy, or open, until an operator changes something. */
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

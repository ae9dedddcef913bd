import { setTimeout as sleep } from 'node:timers/promises'
import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import {
  BillingInspection,
  EVENT_STATES,
  type EventFilter,
  type EventState,
  type ListedEvent,
} from '../../billing/operations/billing-inspection.js'
import { BillingReconciler } from '../../billing/operations/billing-reconciler.js'
import { BillingReplay } from '../../billing/operations/billing-replay.js'
import { Subscriptions } from '../../billing/subscription/subscriptions.js'
import { BillingQueue } from '../../billing/sync/billing-queue.js'
import { BillingWorker } from '../../billing/sync/billing-worker.js'
import { CustomerAdoption } from '../../billing/sync/customer-adoption.js'
import { CustomerSync } from '../../billing/sync/customer-sync.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Database } from '../../platform/database/database.js'
import { isId } from '../../platform/http/request.js'
import { inOneLine, pluralize } from '../../platform/log.js'
import { isCustomerId } from '../../users/import/imported-user.js'
import { Users } from '../../users/users.js'
import { asEmail, type CommandContext, REASON, type WithReason, withService } from '../command-context.js'

/** A terminal page; more than a person reads. */
const LISTED = 50
const MAX_LISTED = 1_000
const MAX_REASON_LENGTH = 300
/** Another process may be handling the same customer. */
const WAIT_SECONDS = 15
const PROGRESS_EVERY_MS = 2_000

/** `billing:events`, `billing:replay`, `billing:adopt` and `billing:reconcile`. */
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
      return withService(context, app =>
        listEvents(new BillingInspection(app.get(Database)), filter, max, context),
      )
    })

  program
    .command('billing:replay')
    .description('handle an event again, whatever its state')
    .argument('<event>', 'its id, as in billing:events')
    .option(...REASON)
    .action((id: string, { reason }: WithReason) =>
      withService(context, app => replay(app, id, reason, context)),
    )

  program
    .command('billing:adopt')
    .description('link an account to the customer that it has at the payment provider already')
    .argument('<account>', "the account's id, or its owner's e-mail address")
    .argument('<customer>', "the provider's id of the customer")
    .option(...REASON)
    .action((account: string, customer: string, { reason }: WithReason) =>
      withService(context, app => adopt(app, { account, customer, reason }, context)),
    )

  program
    .command('billing:reconcile')
    .description('compare every customer with the payment provider now and correct what differs')
    .action(() => withService(context, app => reconcile(app, context)))
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

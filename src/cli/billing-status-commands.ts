import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { ForeignCustomers } from '../billing/customers/foreign-customers.js'
import { type BillingHealth, readBillingHealth } from '../billing/operations/billing-health.js'
import { BillingOperations } from '../billing/operations/billing-operations.js'
import { inWords, ProviderKey } from '../billing/provider/provider-key.js'
import { SurplusSubscriptions } from '../billing/subscription/surplus-subscriptions.js'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import type { ApiError } from '../errors/api-error.js'
import { Plans } from '../permissions/plans.js'
import { withService } from './service.js'

const LISTED = 50
/** Events are handled within seconds; this long means that something is wrong. */
const LONG_WAIT_MS = 15 * 60 * 1000

/** `billing:status` and `billing:forget-customers`. */
export function addBillingStatusCommands(program: Command): void {
  program
    .command('billing:status')
    .description(
      'show what waits, was given up, is billed twice or is in no plan; exits with 1 when somebody has to act',
    )
    .action(() => withService(showStatus))

  program
    .command('billing:forget-customers')
    .description(
      'detach accounts from customers that belong to another secret key, so that they can buy again',
    )
    .option('--yes', 'do it (default: only list them)')
    .action(({ yes = false }: { yes?: boolean }) => withService(app => forgetCustomers(app, yes)))
}

async function showStatus(app: INestApplicationContext): Promise<void> {
  const health = await readBillingHealth(app.get(Database))
  const problems = [
    ...showQueue(health, app.get(Clock).now()),
    ...(await showSurplus(app.get(SurplusSubscriptions))),
    ...showUnknownPrices(app.get(Plans), health),
    ...(await showKey(app)),
  ]
  if (problems.length > 0) throw new Error(`Needs attention: ${problems.join(', ')}`)
}

/** This and the following functions print their part and return its problems. */
function showQueue(health: BillingHealth, now: Date): string[] {
  const { waitingEvents, oldestWaiting: oldest, customersDue, customersFailed, customersParked } = health
  console.log(`${waitingEvents} events wait${oldest ? `, the oldest since ${oldest.toISOString()}` : ''}`)
  console.log(
    `${customersDue} customers are due, ${customersFailed} failed, ${customersParked} of them given up`,
  )
  const isLate = oldest !== null && now.getTime() - oldest.getTime() > LONG_WAIT_MS
  return [
    ...(customersParked > 0 ? ['customers were given up'] : []),
    ...(isLate ? ['an event has waited for too long'] : []),
  ]
}

async function showSurplus(surplus: SurplusSubscriptions): Promise<string[]> {
  const found = await surplus.list()
  for (const { accountId, subscriptionId } of found.slice(0, LISTED))
    console.log(`Account ${accountId} is billed for a second subscription, ${subscriptionId}`)
  return found.length > 0 ? ['accounts are billed twice'] : []
}

function showUnknownPrices(plans: Plans, { subscriptionsByPrice }: BillingHealth): string[] {
  if (plans.version === null) return []
  const unknown = [...subscriptionsByPrice].filter(([priceId]) => plans.of(priceId) === null)
  for (const [priceId, count] of unknown)
    console.log(`${count} subscriptions have the price ${priceId}, which is in no plan`)
  return unknown.length > 0 ? ['prices are in no plan'] : []
}

/** The rest matters most when the provider is down. */
async function showKey(app: INestApplicationContext): Promise<string[]> {
  try {
    console.log(`Payments go to ${inWords(await app.get(ProviderKey).identify())}`)
  } catch (error) {
    console.log(`Cannot tell where payments go: ${(error as ApiError).message}`)
    return ['the payment provider does not answer']
  }
  const others = await app.get(ForeignCustomers).count()
  for (const { customers, ...other } of others)
    console.log(`${customers} customers belong to ${inWords(other)}`)
  return others.length > 0 ? ['customers belong to another key'] : []
}

async function forgetCustomers(app: INestApplicationContext, isWanted: boolean): Promise<void> {
  const identity = await app.get(ProviderKey).identify()
  const customers = await app.get(ForeignCustomers).list()
  for (const { accountId, customerId } of customers.slice(0, LISTED))
    console.log(`Account ${accountId}, customer ${customerId}`)
  if (isWanted) await app.get(BillingOperations).forget(customers)
  const what = isWanted ? 'have been detached' : 'would be detached (use --yes to do it)'
  console.log(`${customers.length} customers that do not exist in ${inWords(identity)}, ${what}`)
}

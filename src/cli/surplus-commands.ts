import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { SurplusSubscriptions } from '../billing/subscription/surplus-subscriptions.js'
import { BillingWorker } from '../billing/sync/billing-worker.js'
import { withService } from './service.js'

/** `billing:end-surplus`. */
export function addSurplusCommands(program: Command): void {
  program
    .command('billing:end-surplus')
    .description(
      'end and refund a subscription that bills an account a second time; without an id, list them',
    )
    .argument('[subscription]', 'its id, as in the list')
    .action((id?: string) => withService(app => (id === undefined ? list(app) : end(app, id))))
}

async function list(app: INestApplicationContext): Promise<void> {
  const found = await app.get(SurplusSubscriptions).list()
  for (const { accountId, subscriptionId } of found) console.log(`${subscriptionId}  account ${accountId}`)
  console.log(`${found.length} surplus subscriptions`)
}

async function end(app: INestApplicationContext, id: string): Promise<void> {
  const refunds = await app.get(SurplusSubscriptions).end(id)
  if (refunds === null)
    throw new Error(
      `${id} is not a second subscription of any account; run this command without an id to list those`,
    )
  for (const { payment, amount, currency } of refunds)
    console.log(`Refunded: ${amount} ${currency} (smallest unit) of ${payment}`)
  await app.get(BillingWorker).settled()
  console.log(`${id} has ended`)
}

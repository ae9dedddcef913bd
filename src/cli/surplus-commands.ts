import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { SurplusSubscriptions } from '../billing/subscription/surplus-subscriptions.js'
import { BillingWorker } from '../billing/sync/billing-worker.js'
import type { CommandContext } from './command-context.js'
import { withService } from './service.js'

/** `billing:end-surplus`. */
export function addSurplusCommands(program: Command, context: CommandContext): void {
  program
    .command('billing:end-surplus')
    .description(
      'end and refund a subscription that bills an account a second time; without an id, list them',
    )
    .argument('[subscription]', 'its id, as in the list')
    .action((id?: string) =>
      withService(context, app => (id === undefined ? list(app, context) : end(app, id, context))),
    )
}

async function list(app: INestApplicationContext, { print }: CommandContext): Promise<void> {
  const found = await app.get(SurplusSubscriptions).list()
  for (const { accountId, subscriptionId } of found) print(`${subscriptionId}  account ${accountId}`)
  print(`${found.length} surplus subscriptions`)
}

async function end(app: INestApplicationContext, id: string, { print }: CommandContext): Promise<void> {
  const refunds = await app.get(SurplusSubscriptions).end(id)
  if (refunds === null)
    throw new Error(
      `${id} is not a second subscription of any account; run this command without an id to list those`,
    )
  for (const { payment, amount, currency } of refunds)
    print(`Refunded: ${amount} ${currency} (smallest unit) of ${payment}`)
  await app.get(BillingWorker).settled()
  print(`${id} has ended`)
}

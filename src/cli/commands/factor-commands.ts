import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { FactorResets } from '../../factors/factor-resets.js'
import { UserFactors } from '../../factors/user-factors.js'
import { OperatorFactorResets } from '../../operators/factor-resets.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import type { User } from '../../users/user.js'
import {
  type CommandContext,
  explainNotFound,
  REASON,
  sendMails,
  type WithReason,
  withUser,
} from '../command-context.js'

/** `factors:status` and `factors:reset`. */
export function addFactorCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('factors:status')
    .description("show a user's second factors")
    .argument('<email>')
    .action((email: string) => withUser(context, email, (app, user) => printStatus(app, user, print)))

  program
    .command('factors:reset')
    .description(
      'remove all second factors of a user who has lost them, after 24 hours; they are told by mail',
    )
    .argument('<email>')
    .option('--cancel', 'stop what has been requested, by you or by a manager')
    .option(...REASON)
    .action((email: string, { cancel: isCancelled, reason }: WithReason & { cancel?: boolean }) =>
      withUser(context, email, (app, user) =>
        isCancelled ? cancel(app, user, reason, print) : request(app, user, reason, print),
      ),
    )
}

async function printStatus(app: INestApplicationContext, user: User, print: CommandContext['print']) {
  const { totpConfirmedAt, passkeys, recoveryCodesLeft } = await app.get(UserFactors).find(user.id)
  const pending = (await app.get(FactorResets).timesOf([user.id])).get(user.id)
  print(`authenticator app: ${totpConfirmedAt ? `since ${totpConfirmedAt.toISOString()}` : 'none'}`)
  print(`passkeys: ${passkeys}`)
  print(`recovery codes left: ${recoveryCodesLeft}`)
  print(`password: ${user.passwordHash ? 'yes' : 'none'}`)
  if (user.mustEnrol) print('must set up a second factor before anything else')
  if (pending) print(`they are going to be removed at ${pending.toISOString()}`)
}

async function request(
  app: INestApplicationContext,
  { id, email }: User,
  reason: string | undefined,
  print: CommandContext['print'],
) {
  const resetAt = await explainNotFound(
    app.get(OperatorFactorResets).request(id, atCommandLine(reason)),
    `${email} has no second factor, or was disabled by their account`,
  )
  print('Check by other means that it really is they who are asking.')
  print(`Unless it is stopped, the service removes all their second factors at ${resetAt.toISOString()}.`)
  await sendMails(app)
  print(`${email} has been told by mail: the link in it removes their second factors at once, or stops this.`)
}

async function cancel(
  app: INestApplicationContext,
  { id, email }: User,
  reason: string | undefined,
  print: CommandContext['print'],
) {
  await explainNotFound(
    app.get(OperatorFactorResets).cancel(id, atCommandLine(reason)),
    `No reset is pending for ${email}`,
  )
  print(`${email} keeps their second factors`)
}

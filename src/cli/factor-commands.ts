import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { OPERATOR } from '../audit/actor.js'
import { auditEventOf } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { FactorRemoval } from '../factors/factor-removal.js'
import { FactorResets } from '../factors/factor-resets.js'
import { UserFactors } from '../factors/user-factors.js'
import { OneTimeTokens } from '../links/one-time-tokens.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import { FactorResetMails } from '../team/factor-reset/factor-reset-mails.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'
import { type CommandContext, withUser } from './command-context.js'

/** Time for the user to read the mail and stop it. */
const WAIT_SECONDS = 60 * 60
const CODE_SECONDS = 24 * 60 * 60

/** `factors:status` and `factors:reset`. */
export function addFactorCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('factors:status')
    .description('say what a user logs in with besides a password')
    .argument('<email>')
    .action((email: string) => withUser(context, email, (app, user) => printStatus(app, user, print)))

  program
    .command('factors:reset')
    .description('remove all second factors of a user who has lost them; in two steps, an hour apart')
    .argument('<email>')
    .option('--code <code>', 'what the first step has printed')
    .action((email: string, { code }: { code?: string }) =>
      withUser(context, email, (app, user) =>
        code === undefined ? announce(app, user, print) : reset(app, user, code, print),
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
  if (pending) print(`a manager has asked to reset them on ${pending.toISOString()}`)
}

/** The first step: a code for the operator, and a mail by which the user stops it. */
async function announce(app: INestApplicationContext, user: User, print: CommandContext['print']) {
  if (!user.hasSecondFactor) throw new Error(`${user.email} has no second factor`)
  const { id: userId, accountId, email } = user
  const tokens = app.get(OneTimeTokens)
  const from = secondsAfter(app.get(Clock).now(), WAIT_SECONDS)
  const token = { purpose: 'factor-reset', email, userId, accountId, lifetimeSeconds: CODE_SECONDS } as const
  const { code, link } = await app.get(Database).transaction(async transaction => {
    await app.get(Users).lock(transaction, userId)
    const event = auditEventOf(user, OPERATOR, 'factors.reset', { step: 'asked', from, operator: true })
    await app.get(AuditLog).record(transaction, event)
    const detail = { operator: 'code', from: from.toISOString() }
    return {
      code: await tokens.issue(transaction, { ...token, detail }),
      link: await tokens.issue(transaction, { ...token, detail: { operator: 'link' } }),
    }
  })
  app.get(FactorResetMails).sendAnnounced(email, link, from)
  print(`${email} is told by mail, and can stop it. Make sure in another way that it is them who ask.`)
  print(`From ${from.toISOString()} on, for 23 hours: factors:reset ${email} --code ${code}`)
}

/** The second step. */
async function reset(
  app: INestApplicationContext,
  { id, email }: User,
  code: string,
  print: CommandContext['print'],
) {
  await app.get(SessionChanges).durably(async transaction => {
    const user = await app.get(Users).lock(transaction, id)
    const { userId, detail } = await app.get(OneTimeTokens).consume(transaction, 'factor-reset', code)
    if (!user || userId !== id || detail.operator !== 'code')
      throw new Error('This code is for somebody else')
    const from = new Date(detail.from as string)
    if (app.get(Clock).now() < from) throw new Error(`This code counts from ${from.toISOString()} on`)
    return app.get(FactorRemoval).removeAll(transaction, user, OPERATOR, { operator: true })
  })
  app.get(FactorResetMails).tellDone(email)
  print(`${email} has no second factor any more and is logged out; the password is as it was`)
}

import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { FactorResets } from '../../factors/factor-resets.js'
import { UserFactors } from '../../factors/user-factors.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { pluralize } from '../../platform/log.js'
import { PERMISSIONS, type Permission, permissionsOf } from '../../platform/permissions.js'
import { FactorResetRequests } from '../../team/factor-reset.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, passwordLength } from '../../users/passwords/passwords.js'
import type { User } from '../../users/user.js'
import { UserAdministration } from '../../users/user-changes.js'
import {
  asEmail,
  type CommandContext,
  explainNotFound,
  REASON,
  sendMails,
  type WithReason,
  withService,
  withUser,
} from '../command-context.js'

interface CreateOptions extends WithReason {
  readonly email: string
  readonly passwordStdin?: boolean
}

/** `account:create` and `user:…`. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('account:create')
    .description('create an account and its owner')
    .requiredOption('--email <address>', "the owner's")
    .option('--password-stdin', 'read the password from standard input (default: generate and print one)')
    .option(...REASON)
    .action(async ({ email, passwordStdin, reason }: CreateOptions) => {
      const password = passwordStdin ? await readPassword(context) : randomBytes(18).toString('base64url')
      const owner = await withService(context, app =>
        app.get(UserAdministration).createAccount(asEmail(email), password, atCommandLine(reason)),
      )
      print(`Created account ${owner.accountId} with owner ${owner.email} (${owner.id})`)
      if (!passwordStdin) print(`Password: ${password}`)
    })

  program
    .command('user:permissions')
    .description('set the permissions of a user; live sessions get them at their next refresh')
    .argument('<email>')
    .argument('[permissions...]', PERMISSIONS.join(', '))
    .option('--none', 'remove all permissions')
    .option(...REASON)
    .action(async (email: string, names: string[], { none, reason }: WithReason & { none?: boolean }) => {
      if ((names.length === 0) !== (none === true)) throw new Error('Name the permissions, or use --none')
      const unknown = names.filter(name => !PERMISSIONS.includes(name as Permission))
      if (unknown.length > 0)
        throw new Error(`Unknown permission: ${unknown.join(', ')}; known: ${PERMISSIONS.join(', ')}`)
      await withUser(context, email, (app, user) =>
        app.get(UserAdministration).grant(user, permissionsOf(names as Permission[]), atCommandLine(reason)),
      )
      print(`${email}: ${names.join(', ') || 'no permissions'}`)
    })

  program
    .command('user:disable')
    .description('disable a user and end all their sessions')
    .argument('<email>')
    .option(...REASON)
    .action(async (email: string, { reason }: WithReason) => {
      const ended = await withUser(context, email, (app, user) =>
        app.get(UserAdministration).disable(user, atCommandLine(reason)),
      )
      print(`${email} is disabled; ${pluralize(ended, 'session')} ended`)
    })

  program
    .command('user:enable')
    .description('enable a disabled user')
    .argument('<email>')
    .option(...REASON)
    .action(async (email: string, { reason }: WithReason) => {
      await withUser(context, email, (app, user) =>
        app.get(UserAdministration).enable(user, atCommandLine(reason)),
      )
      print(`${email} can log in again`)
    })

  program
    .command('user:revoke')
    .description('end all sessions of a user')
    .argument('<email>')
    .option(...REASON)
    .action(async (email: string, { reason }: WithReason) => {
      const ended = await withUser(context, email, (app, user) =>
        app.get(UserAdministration).endSessions(user, atCommandLine(reason)),
      )
      print(`${pluralize(ended, 'session')} of ${email} ended`)
    })
}

async function readPassword({ input }: CommandContext): Promise<string> {
  const password = (await text(input)).replace(/\r?\n$/, '')
  const length = passwordLength(password)
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw new Error(`The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
  return password
}

/** `factors:status` and `factors:reset`. */
export function addFactorCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('factors:status')
    .description("show a user's second factors")
    .argument('<email>')
    .action((email: string) => withUser(context, email, (app, user) => printFactors(app, user, print)))

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
        isCancelled ? cancelReset(app, user, reason, print) : requestReset(app, user, reason, print),
      ),
    )
}

async function printFactors(app: INestApplicationContext, user: User, print: CommandContext['print']) {
  const { totpConfirmedAt, passkeys, recoveryCodesLeft } = await app.get(UserFactors).find(user.id)
  const pending = (await app.get(FactorResets).timesOf([user.id])).get(user.id)
  print(`authenticator app: ${totpConfirmedAt ? `since ${totpConfirmedAt.toISOString()}` : 'none'}`)
  print(`passkeys: ${passkeys}`)
  print(`recovery codes left: ${recoveryCodesLeft}`)
  print(`password: ${user.passwordHash ? 'yes' : 'none'}`)
  if (user.mustEnrol) print('must set up a second factor before anything else')
  if (pending) print(`they are going to be removed at ${pending.toISOString()}`)
}

async function requestReset(
  app: INestApplicationContext,
  { id, email }: User,
  reason: string | undefined,
  print: CommandContext['print'],
) {
  const resetAt = await explainNotFound(
    app.get(FactorResetRequests).requestByOperator(atCommandLine(reason), id, null),
    `${email} has no second factor, or was disabled by their account`,
  )
  print('Check by other means that it really is they who are asking.')
  print(`Unless it is stopped, the service removes all their second factors at ${resetAt.toISOString()}.`)
  await sendMails(app)
  print(`${email} has been told by mail: the link in it removes their second factors at once, or stops this.`)
}

async function cancelReset(
  app: INestApplicationContext,
  { id, email }: User,
  reason: string | undefined,
  print: CommandContext['print'],
) {
  await explainNotFound(
    app.get(FactorResetRequests).cancelByOperator(atCommandLine(reason), id),
    `No reset is pending for ${email}`,
  )
  print(`${email} keeps their second factors`)
}

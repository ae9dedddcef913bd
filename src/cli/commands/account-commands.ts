import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Database } from '../../platform/database/database.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { pluralize } from '../../platform/log.js'
import { PERMISSIONS, type Permission, permissionsOf } from '../../platform/permissions.js'
import { Clock, Clock } from '../../platform/time.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { asSessionHandle, type Session } from '../../sessions/session.js'
import { SessionStore } from '../../sessions/stores/session-store.js'
import { type OwnedSession, UserSessions } from '../../sessions/user-sessions.js'
import {
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
  passwordLength,
} from '../../users/passwords/password-text.js'
import type { User } from '../../users/user.js'
import { UserAdministration, UserCreation } from '../../users/user-administration.js'
import {
  asEmail,
  type CommandContext,
  REASON,
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
    .requiredOption('--email <address>')
    .option('--password-stdin', 'read the password from standard input (default: generate and print one)')
    .option(...REASON)
    .action(async ({ email, passwordStdin, reason }: CreateOptions) => {
      const password = passwordStdin ? await readPassword(context) : randomBytes(18).toString('base64url')
      const owner = await withService(context, app =>
        app.get(UserCreation).createAccount(asEmail(email), password, atCommandLine(reason)),
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

/** `session:list` and `session:revoke`. */
export function addSessionCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('session:list')
    .description('list the live sessions of a user')
    .argument('<email>')
    .action(async (email: string) => {
      const sessions = await withUser(context, email, sessionsOf)
      for (const { sid, source, origin, ip, lastUsed } of sessions)
        print([sid, source, origin ?? 'no origin', ip, lastUsed.toISOString()].join('  '))
      print(pluralize(sessions.length, 'session'))
    })

  program
    .command('session:revoke')
    .description('end one session')
    .argument('<sid>', 'the public handle of the session, as in the audit log')
    .option(...REASON)
    .action(async (text: string, { reason }: WithReason) => {
      await withService(context, async app => {
        const session = await findSession(app, text)
        if (!session) throw new Error('There is no live session with this handle')
        const { client, ...operatorAction } = atCommandLine(reason)
        await app.get(SessionChanges).end(session, client, 'ended by an operator', operatorAction)
      })
      print('The session has ended')
    })
}

/** Throws a plain Error when the store is unreachable: nothing was asked for that could be recorded. */
async function sessionsOf(app: INestApplicationContext, { id }: User): Promise<Session[]> {
  try {
    return await app.get(SessionStore).listByUser(id, app.get(Clock).now())
  } catch (cause) {
    throw new Error(causeMessage(cause), { cause })
  }
}

/** From the database, so that a session can also be ended while the store is unreachable. */
async function findSession(app: INestApplicationContext, text: string): Promise<OwnedSession | null> {
  const sid = asSessionHandle(text)
  if (!sid) return null
  const [owned] = await app.get(Database).run(db => app.get(UserSessions).ownersOf(db, [sid]))
  return owned ?? null
}

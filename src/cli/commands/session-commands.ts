import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Database } from '../../platform/database/database.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { pluralize } from '../../platform/log.js'
import { Clock } from '../../platform/time.js'
import { SessionChanges } from '../../sessions/revocation/changes.js'
import type { AcceptedShard } from '../../sessions/revocation/loss-acceptance.js'
import { StoreSupervisor } from '../../sessions/revocation/store-supervisor.js'
import { asSessionHandle, type Session } from '../../sessions/session.js'
import { SessionStore } from '../../sessions/session-store.js'
import { type OwnedSession, UserSessions } from '../../sessions/user-sessions.js'
import type { User } from '../../users/user.js'
import { type CommandContext, REASON, type WithReason, withService, withUser } from '../command-context.js'

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

const SHARD_BEFORE: Readonly<Record<NonNullable<AcceptedShard['before']>, string>> = {
  complete: 'had all its data; no user there has to log in again',
  incomplete: 'had lost data; users who had a session there log in again',
  foreign: 'had sessions of another installation; they are removed',
  ahead: 'was ahead of the database; users with a session that the database does not know log in again',
}

/** `store:accept-loss`. */
export function addStoreCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('store:accept-loss')
    .description(
      'accept that the session store has lost its data; users who had a session there log in again',
    )
    .option(
      '--database-restored',
      'the database was restored, or has lost its last commits: sessions that it does not know end too',
    )
    .action(async ({ databaseRestored: isRestored = false }: { databaseRestored?: boolean }) => {
      const shards = await withService(context, async app => {
        const supervisor = app.get<StoreSupervisor | null>(StoreSupervisor)
        if (!supervisor) throw new Error('The sessions are in the database, so there is nothing to accept')
        const onWait = (undone: readonly AcceptedShard[]) => {
          for (const shard of undone) print(waitingFor(shard))
        }
        return supervisor.acceptLoss({ isRestored, onWait })
      })
      for (const shard of shards) print(outcomeOf(shard))
      if (shards.some(({ problem }) => problem !== null))
        throw new Error('Not accepted everywhere: run it again when every shard can be used')
      print('Accepted; running servers resume within seconds')
    })
}

function waitingFor({ shard, problem }: AcceptedShard): string {
  return `Waiting for up to a minute for ${shard}: ${problem}`
}

function outcomeOf({ shard, before, problem }: AcceptedShard): string {
  return problem === null && before !== null
    ? `${shard} ${SHARD_BEFORE[before]}`
    : `${shard} is not done: ${problem}`
}

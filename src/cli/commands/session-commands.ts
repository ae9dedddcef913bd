import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { Database } from '../../platform/database/database.js'
import { pluralize } from '../../platform/log.js'
import { Clock } from '../../platform/time.js'
import { SessionChanges } from '../../sessions/changes.js'
import { asSessionHandle, type Session } from '../../sessions/session.js'
import { type OwnedSession, SessionStore } from '../../sessions/session-store.js'
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

function sessionsOf(app: INestApplicationContext, { id }: User): Promise<Session[]> {
  return app.get(SessionStore).listByUser(id, app.get(Clock).now())
}

async function findSession(app: INestApplicationContext, text: string): Promise<OwnedSession | null> {
  const sid = asSessionHandle(text)
  if (!sid) return null
  const [owned] = await app.get(Database).run(db => app.get(SessionStore).ownersOf(db, [sid]))
  return owned ?? null
}

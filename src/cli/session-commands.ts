import type { Command } from 'commander'
import { Clock } from '../clock/clock.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import { asSessionHandle } from '../sessions/session-id.js'
import { SessionStore } from '../sessions/stores/session-store.js'
import type { CommandContext } from './command-context.js'
import { withService, withUser } from './service.js'

/** `session:list` and `session:revoke`. */
export function addSessionCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('session:list')
    .description('list the live sessions of a user')
    .argument('<email>')
    .action(async (email: string) => {
      const sessions = await withUser(context, email, (app, user) =>
        app.get(SessionStore).listByUser(user.id, app.get(Clock).now()),
      )
      for (const { sid, source, origin, ip, lastUsed } of sessions)
        print([sid, source, origin ?? 'no origin', ip, lastUsed.toISOString()].join('  '))
      print(`${sessions.length} sessions`)
    })

  program
    .command('session:revoke')
    .description('end one session')
    .argument('<sid>', 'the public handle of the session, as in the audit log')
    .action(async (text: string) => {
      await withService(context, async app => {
        const sid = asSessionHandle(text)
        const session = sid && (await app.get(SessionStore).find(sid, app.get(Clock).now()))
        if (!session) throw new Error('There is no live session with this handle')
        await app.get(SessionChanges).end(session, null, 'ended by an operator')
      })
      print('The session has ended')
    })
}

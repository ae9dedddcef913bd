import type { Command } from 'commander'
import { Clock } from '../clock/clock.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import { asSessionHandle } from '../sessions/session-id.js'
import { SessionStore } from '../sessions/stores/session-store.js'
import { withService, withUser } from './service.js'

/** `session:list` and `session:revoke`. */
export function addSessionCommands(program: Command): void {
  program
    .command('session:list')
    .description('list the live sessions of a user')
    .argument('<email>')
    .action(async (email: string) => {
      const sessions = await withUser(email, (app, user) =>
        app.get(SessionStore).listByUser(user.id, app.get(Clock).now()),
      )
      for (const { sid, source, origin, ip, lastUsed } of sessions)
        console.log([sid, source, origin ?? 'no origin', ip, lastUsed.toISOString()].join('  '))
      console.log(`${sessions.length} sessions`)
    })

  program
    .command('session:revoke')
    .description('end one session')
    .argument('<sid>', 'the public handle of the session, as in the audit log')
    .action(async (text: string) => {
      await withService(async app => {
        const sid = asSessionHandle(text)
        const session = sid && (await app.get(SessionStore).find(sid, app.get(Clock).now()))
        if (!session) throw new Error('There is no live session with this handle')
        await app.get(SessionChanges).end(session, null, 'ended by an operator')
      })
      console.log('The session has ended')
    })
}

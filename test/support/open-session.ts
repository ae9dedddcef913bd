import { sql } from 'drizzle-orm'
import { Database } from '../../src/database/database.js'
import type { Client } from '../../src/http/client.js'
import { authMethods } from '../../src/permissions/auth-methods.js'
import type { Source } from '../../src/permissions/permissions.js'
import { type NewSession, SessionsService } from '../../src/sessions/sessions.service.js'
import type { User } from '../../src/users/user.js'
import type { TestApp } from './test-app.js'

/** A session without its login. */
export function openSession(
  { app }: TestApp,
  user: User,
  source: Source,
  client: Client,
): Promise<NewSession> {
  const sessions = app.get(SessionsService)
  const proof = { methods: authMethods('pwd') }
  return sessions.open({ ...user, userId: user.id }, source, client, proof, async (_, insert) => {
    await app.get(Database).run(db => db.execute(insert(sql`(select 1) as found`)))
  })
}

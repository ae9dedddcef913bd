import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { sql } from 'drizzle-orm'
import { AppModule } from '../dist/src/app.js'
import { readSettings } from '../dist/src/platform/config/read-settings.js'
import { Database } from '../dist/src/platform/database/database.js'
import { shortUserAgent } from '../dist/src/platform/http/request.js'
import { Clock } from '../dist/src/platform/time.js'
import { StoreSupervisor } from '../dist/src/sessions/revocation/store-supervisor.js'
import { SessionsService } from '../dist/src/sessions/sessions.js'
import { UserSessions } from '../dist/src/sessions/user-sessions.js'
import { authMethods } from '../dist/src/tokens/access-tokens.js'
import { canonicalEmail } from '../dist/src/users/email.js'
import { UserCreation } from '../dist/src/users/user-changes.js'
import { makeKeys } from './contestants/make-keys.mjs'
import { SATELLITE } from './contestants/service.mjs'
import { inBatches } from './in-batches.mjs'

export const PASSWORD = 'correct horse battery staple'
export const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** A browser on a satellite site. */
export const CLIENT = {
  requestId: 'bench',
  ip: '203.0.113.142',
  userAgent: shortUserAgent(USER_AGENT),
  origin: SATELLITE,
}

/** As the load arrives: the first refresh from another network would cost several times what a refresh costs. */
const FROM_HERE = { ...CLIENT, ip: '127.0.0.1' }

/** Users with e-mail and password. Each has a hash of its own. */
const USERS = 200
/** Sessions, each with an access token: more than fit into a processor's caches, fewer than the service keeps tokens. */
const SESSIONS = 5_000

/**
 * Makes keys, users and sessions by the service's own code, in this process and without its server. `frequentUser` has none
 * of the sessions: who logs in often ends their oldest ones.
 */
export async function seed(environment) {
  await makeKeys(environment)
  const settings = readSettings(environment)
  const app = await NestFactory.createApplicationContext(AppModule.with(settings, new Clock()), {
    logger: ['error', 'warn'],
    abortOnError: false,
  })
  try {
    await app.get(StoreSupervisor).start()
    const creation = app.get(UserCreation)
    const sessions = app.get(SessionsService)
    const database = app.get(Database)
    const userSessions = app.get(UserSessions)
    const [frequentUser, ...users] = await inBatches(1 + USERS, index =>
      creation.createAccount(canonicalEmail(`user-${index}@customer.example`), PASSWORD),
    )
    const context = { source: 'satellite', client: FROM_HERE }
    const proof = { methods: authMethods('pwd') }
    const opened = await inBatches(SESSIONS, async index => {
      const user = users[index % users.length]
      const created = await sessions.create({ ...user, userId: user.id }, context, proof)
      await database.run(db => db.execute(userSessions.insertFor(created.session, sql`(select) as found`)))
      return created
    })
    return { users, frequentUser, opened }
  } finally {
    await app.close()
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { eq } from 'drizzle-orm'
import {
  auditLog,
  createApp,
  Database,
  type Db,
  handleOf,
  Passwords,
  PaymentSandbox,
  readSettings,
  type SessionHandle,
  type SessionId,
  SessionStore,
  type Settings,
  sessions,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { request, type TestRequest, type TestResponse } from '../../support/http-request.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { freePort } from '../../support/processes/free-port.js'
import { startRedis } from '../../support/redis/redis-server.js'
import { makeKeys } from '../values/keys.js'
import { Secrets } from '../values/secrets.js'
import { BuiltServer } from './built-server.js'
import { environmentOf, PROVIDER } from './environment.js'

interface Parts {
  server: BuiltServer
  node: NestFastifyApplication
  settings: Settings
  sandbox: PaymentSandbox
  cleanUp: (() => Promise<unknown>)[]
}

/**
 * The built service with the settings of production and what it stands on, and one more node of it in this
 * process: what an operator does at the command line happens there.
 */
export class Service {
  readonly secrets = new Secrets()

  private constructor(private readonly parts: Parts) {}

  static async start(): Promise<Service> {
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-conformance-'))
    const keysFile = join(folder, 'jwt-keys.json')
    const privateKeys = await makeKeys(keysFile)
    const [database, redis, sandbox, port] = await Promise.all([
      createDatabase({ isEmpty: true }),
      startRedis(),
      PaymentSandbox.start({ ...PROVIDER, port: 0, webhookUrl: null }),
      freePort(),
    ])
    const environment = environmentOf({
      PORT: String(port),
      DATABASE_URL: database.url,
      SESSION_STORE_URL: redis.url,
      // The machine may be busy; an outage is for test/faults.
      SESSION_STORE_TIMEOUT_MS: '3000',
      JWT_KEYS_FILE: keysFile,
      STRIPE_API_URL: sandbox.url,
    })
    const server = await BuiltServer.start(environment)
    const settings = readSettings({ ...environment, LOG_LEVEL: 'silent' })
    const node = await createApp(settings)
    await node.listen(0, '127.0.0.1')
    hashEachPasswordOnce(node.get(Passwords))
    const cleanUp = [
      () => node.close(),
      () => server.stop(),
      () => sandbox.stop(),
      () => redis.stop(),
      () => database.drop(),
      () => rm(folder, { recursive: true }),
    ]
    const service = new Service({ server, node, settings, sandbox, cleanUp })
    service.secrets.add(PROVIDER.secretKey, PROVIDER.webhookSecret, ...privateKeys)
    return service
  }

  get url(): string {
    return this.parts.server.url
  }

  get port(): number {
    return this.settings.port
  }

  get settings(): Settings {
    return this.parts.settings
  }

  get sandbox(): PaymentSandbox {
    return this.parts.sandbox
  }

  /** The node in this process, for its providers. */
  get node(): NestFastifyApplication {
    return this.parts.node
  }

  request(options: TestRequest): Promise<TestResponse> {
    return request(this.url, options)
  }

  /** Where every node of the service answers. */
  async nodeUrls(): Promise<string[]> {
    return [this.url, await this.node.getUrl()]
  }

  query<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.node.get(Database).run(work)
  }

  /** The handles of all sessions that were ever opened, in order. */
  async sessions(): Promise<string[]> {
    const rows = await this.query(db => db.select({ sid: sessions.sid }).from(sessions).orderBy(sessions.sid))
    return rows.map(({ sid }) => sid)
  }

  /** The handles of the sessions that a user has, in order. */
  async sessionsOf(userId: string): Promise<SessionHandle[]> {
    const live = await this.store.listByUser(userId, new Date())
    return live.map(({ sid }) => sid).sort()
  }

  /** Whether there is a session under this identifier that has not been ended. */
  hasSession(sessionId: string): Promise<boolean> {
    return this.query(db => this.store.isOpen(db, handleOf(sessionId as SessionId)))
  }

  get store(): SessionStore {
    return this.node.get(SessionStore)
  }

  logLines(): Promise<string[]> {
    return this.parts.server.logLines()
  }

  /** The audit row of a request; waits for those that are written a little later. */
  auditRowOf({ headers }: TestResponse): Promise<typeof auditLog.$inferSelect> {
    const isOfRequest = eq(auditLog.requestId, headers['x-request-id']!)
    return eventually(
      async () => (await this.query(db => db.select().from(auditLog).where(isOfRequest)))[0],
      { what: 'the audit row' },
    ) as Promise<typeof auditLog.$inferSelect>
  }

  async stop(): Promise<void> {
    for (const step of this.parts.cleanUp) await step()
  }
}

/** Hundreds of people have the same few passwords; the cost of a real hash is paid at each login all the same. */
function hashEachPasswordOnce(passwords: Passwords): void {
  const hashes = new Map<string, Promise<string>>()
  const hash = passwords.hash.bind(passwords)
  passwords.hash = (password, client) => {
    const known = hashes.get(password) ?? hash(password, client)
    hashes.set(password, known)
    return known
  }
}

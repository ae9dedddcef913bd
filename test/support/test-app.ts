import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import type { Type } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { SQL } from 'drizzle-orm'
import {
  AuditLog,
  auditLog,
  BillingWorker,
  createApp,
  Database,
  Mailer,
  MailOutbox,
  PaymentSandbox,
  type ReceivedMail,
  readSettings,
  rowsOf,
  type Settings,
} from '../sources.js'
import { copyEmbeddedDatabase } from './embedded-database.js'
import { request, type TestRequest, type TestResponse } from './http-request.js'
import { createDatabase } from './postgres/postgres-server.js'
import { redisDatabase } from './redis/redis-server.js'
import { TestClock } from './test-clock.js'

type AuditRow = typeof auditLog.$inferSelect

/** The variables that a service is started with. */
export type Environment = Readonly<Record<string, string>>

/** What the service stands on: everything embedded, as on a laptop, or the servers of production. */
export type Backend = 'embedded' | 'redis + postgres'

/** Those that this machine has. */
export const BACKENDS: readonly Backend[] = process.env.TEST_POSTGRES_URL
  ? ['embedded', 'redis + postgres']
  : ['embedded']

/** What a rule is tested on that is the same on both: TEST_BACKEND, or the servers where there are some. */
export const USUAL_BACKEND: Backend =
  (process.env.TEST_BACKEND as Backend | undefined) ?? BACKENDS.at(-1) ?? 'embedded'

export const MAIN = 'https://www.main.test'
export const SHOP_ONE = 'https://shop-one.test'
export const SHOP_TWO = 'https://shop-two.test'

/** The real service in this process, listening on a free port, with its own stores, payment sandbox and clock. */
export class TestApp {
  private constructor(
    readonly url: string,
    readonly settings: Settings,
    readonly app: NestFastifyApplication,
    readonly clock: TestClock,
    readonly sandbox: PaymentSandbox,
    readonly outbox: MailOutbox,
    private readonly cleanUp: (() => Promise<unknown>)[],
  ) {}

  static start(environment: Environment = {}): Promise<TestApp> {
    return TestApp.startOn(USUAL_BACKEND, environment)
  }

  static async startOn(backend: Backend, environment: Environment = {}): Promise<TestApp> {
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-app-'))
    const cleanUp: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
    try {
      return await TestApp.startIn(folder, backend, environment, cleanUp)
    } catch (error) {
      // Otherwise the test run would wait for the servers for ever.
      for (const step of cleanUp) await step()
      throw error
    }
  }

  private static async startIn(
    folder: string,
    backend: Backend,
    environment: Environment,
    cleanUp: (() => Promise<unknown>)[],
  ): Promise<TestApp> {
    const stores = await startStores(backend, folder, environment, cleanUp)
    const sandbox = await PaymentSandbox.start({
      port: 0,
      secretKey: 'sk_test_payment_sandbox',
      webhookUrl: null,
      webhookSecret: 'whsec_payment_sandbox_only',
      priceIds: ['price_monthly', 'price_yearly', 'price_of_an_add_on', 'price_monthly_eur', 'price_metered'],
    })
    const outbox = await MailOutbox.start({ port: 0 })
    cleanUp.unshift(
      () => sandbox.stop(),
      () => outbox.stop(),
    )
    const settings = readSettings({
      NODE_ENV: 'test',
      DATA_DIR: folder,
      STRIPE_API_URL: sandbox.url,
      SMTP_URL: outbox.smtpUrl,
      MAIL_FROM: 'Mainstay <no-reply@main.test>',
      // LOG_LEVEL=warn npm run test:quick -- <path> shows what the service says.
      ...(process.env.LOG_LEVEL && { LOG_LEVEL: process.env.LOG_LEVEL }),
      ...stores,
      ...environment,
    })
    // One connection, so that mails arrive in the order in which they are sent.
    settings.mail?.smtpUrl.searchParams.set('maxConnections', '1')
    const clock = new TestClock()
    const app = await createApp(settings, clock)
    await app.listen(0, settings.host)
    const url = await app.getUrl()
    sandbox.webhookUrl = `${url}/api/webhooks/stripe`
    return new TestApp(url, settings, app, clock, sandbox, outbox, cleanUp)
  }

  request(options: TestRequest): Promise<TestResponse> {
    return request(this.url, options)
  }

  /** As a page of the main site sends it, unless told. */
  post(
    path: string,
    body?: TestRequest['body'],
    headers: TestRequest['headers'] = { Origin: MAIN },
  ): Promise<TestResponse> {
    return this.request({
      method: 'POST',
      path,
      headers,
      ...(body !== undefined && { body }),
      timeoutMs: 30_000,
    })
  }

  /** What has no front door. */
  get<T>(provider: Type<T> | (abstract new (...args: never[]) => T)): T {
    return this.app.get(provider)
  }

  get database(): Database {
    return this.get(Database)
  }

  /** Resolves when every event has arrived and what it leads to is done. */
  async paymentsSettled(): Promise<void> {
    await this.sandbox.settled()
    await this.app.get(BillingWorker).settled()
  }

  /** What was mailed to this address so far, oldest first. */
  async mailsTo(email: string): Promise<ReceivedMail[]> {
    await this.app.get(Mailer).flush()
    return this.outbox.mails.filter(({ to }) => to === email)
  }

  /** The token of the newest link mailed to this address. Throws when there is none. */
  async mailedToken(email: string, page = ''): Promise<string> {
    const mails = await this.mailsTo(email)
    const newest = mails.findLast(({ text }) => text.includes(`${page}#token=`))
    const token = /#token=([A-Za-z0-9_-]+)/.exec(newest?.text ?? '')?.[1]
    if (!token) throw new Error(`No link was mailed to ${email}`)
    return token
  }

  /** What the audit log has with these values, oldest first, with what was only noted so far. */
  async auditRows(about: Partial<Record<keyof AuditRow, unknown>> = {}): Promise<AuditRow[]> {
    await this.get(AuditLog).flush()
    const rows = await this.database.run(db => db.select().from(auditLog).orderBy(auditLog.id))
    const wanted = Object.entries(about)
    return rows.filter(row => wanted.every(([name, value]) => row[name as keyof AuditRow] === value))
  }

  /** The rows of a statement that has no other door. */
  async query<Row = Record<string, unknown>>(statement: SQL | string): Promise<Row[]> {
    return rowsOf<Row>(await this.database.run(db => db.execute(statement)))
  }

  /** The stores of this service, for another process or service on them. */
  get stores() {
    const { databaseUrl, operation, sessionStoreUrl, sessionStoreTimeoutMs } = this.settings
    return {
      DATABASE_URL: databaseUrl,
      DATABASE_TIMEOUT_MS: String(operation.databaseTimeoutMs),
      SESSION_STORE_URL: sessionStoreUrl ?? '',
      SESSION_STORE_TIMEOUT_MS: String(sessionStoreTimeoutMs),
    }
  }

  async stop(): Promise<void> {
    await this.app.close()
    for (const step of this.cleanUp) await step()
  }
}

/**
 * A service for the tests of the file or `describe` that calls this: there before they begin, stopped after them. Its
 * environment is a function where that names what is started before it.
 */
export function anApp(environment: Environment | (() => Environment) = {}, backend = USUAL_BACKEND): TestApp {
  const app: TestApp = Object.create(TestApp.prototype)
  beforeAll(async () => {
    const variables = typeof environment === 'function' ? environment() : environment
    Object.assign(app, await TestApp.startOn(backend, variables))
  })
  // Where it has not started, that is what there is to say.
  afterAll(() => app.app && app.stop())
  return app
}

/** Starts those that are not given. */
async function startStores(
  backend: Backend,
  folder: string,
  given: Readonly<Record<string, string>>,
  cleanUp: (() => Promise<unknown>)[],
): Promise<Record<string, string>> {
  if (backend === 'embedded') {
    const database = join(folder, 'database')
    if (!('DATABASE_URL' in given)) await copyEmbeddedDatabase(database)
    return { DATABASE_URL: `pglite:${database}` }
  }
  const [database, redisUrl] = await Promise.all([
    'DATABASE_URL' in given ? null : createDatabase(),
    'SESSION_STORE_URL' in given ? null : redisDatabase(),
  ])
  if (database) cleanUp.unshift(() => database.drop())
  return {
    ...(database && { DATABASE_URL: database.url }),
    ...(redisUrl && { SESSION_STORE_URL: redisUrl }),
    // On a busy test machine they may stand still for a while; what happens then is for test/faults.
    DATABASE_TIMEOUT_MS: '3000',
    SESSION_STORE_TIMEOUT_MS: '3000',
  }
}

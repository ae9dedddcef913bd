import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import type { Certificate } from './certificate.js'
import { lead, sharedChromium, trustedCertificate } from './chromium.js'
import { API, MAIN, OPERATORS, SHOP_ONE, SHOP_TWO } from './hosts.js'
import type { Pages } from './pages.js'
import { openPlainDoor } from './plain-door.js'
import { startPlainPages } from './plain-pages.js'
import { ReceivedRequests } from './received-requests.js'

/** For the hook that starts a stage: three servers, perhaps a browser, on a machine that may be busy. */
export const START_MS = 120_000
/** Of each step in a browser, on a machine that may be busy. */
const PATIENCE_MS = 30_000

/**
 * The service on its servers and pages of every origin: all over https, each under its own name, in the browser of the
 * worker. One at a time: the browser is led to the latest.
 */
export class Stage {
  private readonly people: BrowserContext[] = []

  private constructor(
    readonly app: TestApp,
    readonly redis: RedisServer,
    readonly received: ReceivedRequests,
    private readonly browser: Browser,
    private readonly cleanUp: (() => unknown)[],
  ) {}

  static async start(
    startPages: (certificate: Certificate) => Promise<Pages> = startPlainPages,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Stage> {
    const cleanUp: (() => unknown)[] = []
    try {
      return await Stage.startWith(cleanUp, startPages, environment)
    } catch (error) {
      for (const step of cleanUp) await step()
      throw error
    }
  }

  /** Another person's browser: cookies, storage and tabs of its own. */
  async newPerson(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const person = await this.browser.newContext({ serviceWorkers: 'block', ...options })
    person.setDefaultTimeout(PATIENCE_MS)
    this.people.push(person)
    return person
  }

  async stop(): Promise<void> {
    for (const step of this.cleanUp) await step()
  }

  private static async startWith(
    cleanUp: (() => unknown)[],
    startPages: (certificate: Certificate) => Promise<Pages>,
    environment: Readonly<Record<string, string>>,
  ): Promise<Stage> {
    const certificate = await trustedCertificate()
    const [redis, database] = await Promise.all([startRedis(), createDatabase()])
    cleanUp.unshift(
      () => redis.stop(),
      () => database.drop(),
    )
    const app = await TestApp.start({
      DATABASE_URL: database.url,
      SESSION_STORE_URL: redis.url,
      PUBLIC_URL: API,
      MAIN_ORIGIN: MAIN,
      ALLOWED_ORIGINS: `${SHOP_ONE},${SHOP_TWO}`,
      COOKIE_DOMAIN: new URL(MAIN).hostname,
      SIGN_UP: 'on',
      TLS_CERT_FILE: certificate.certFile,
      TLS_KEY_FILE: certificate.keyFile,
      // What is refused fills the log, as it should.
      LOG_LEVEL: 'silent',
      ...environment,
    })
    cleanUp.unshift(() => app.stop())
    const webhookDoor = await openPlainDoor(app.app.getHttpServer())
    app.sandbox.webhookUrl = `${webhookDoor.url}/api/webhooks/stripe`
    cleanUp.unshift(() => webhookDoor.close())
    const pages = await startPages(certificate)
    cleanUp.unshift(() => pages.stop())
    const port = Number(new URL(app.url).port)
    await lead({ ...pages.ports, [API]: port, [OPERATORS]: port })
    const browser = await sharedChromium()
    const stage = new Stage(app, redis, new ReceivedRequests(app.app.getHttpServer()), browser, cleanUp)
    cleanUp.unshift(async () => {
      for (const person of stage.people) await person.close()
    })
    return stage
  }
}

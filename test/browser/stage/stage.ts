import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import { type Certificate, makeCertificate } from './certificate.js'
import { launchChromium } from './chromium.js'
import { API, MAIN, OPERATORS, ORIGINS, SHOP_ONE, SHOP_TWO } from './hosts.js'
import type { Pages } from './pages.js'
import { openPlainDoor } from './plain-door.js'
import { startPlainPages } from './plain-pages.js'
import { ReceivedRequests } from './received-requests.js'

/** For the hook that starts a stage: a browser and three servers, on a machine that may be busy. */
export const START_MS = 60_000
/** Of each step in a browser, on a machine that may be busy. */
const PATIENCE_MS = 30_000

/** The service on its servers, pages of every origin, and a browser: all over https, each under its own name. */
export class Stage {
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
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-browser-'))
    cleanUp.unshift(() => rm(folder, { recursive: true, force: true }))
    const certificate = await makeCertificate(folder, ORIGINS)
    const [redis, database] = await Promise.all([
      // With its sessions after a crash too, as in production.
      startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] }),
      createDatabase(),
    ])
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
    const browser = await launchChromium(certificate, {
      ...pages.ports,
      [API]: Number(new URL(app.url).port),
      [OPERATORS]: Number(new URL(app.url).port),
    })
    cleanUp.unshift(() => browser.close())
    return new Stage(app, redis, new ReceivedRequests(app.app.getHttpServer()), browser, cleanUp)
  }
}

import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { type Environment, TestApp } from '../../support/test-app.js'
import type { Certificate } from './certificate.js'
import { lead, sharedChromium, trustedCertificate } from './chromium.js'
import { API, MAIN, OPERATORS, SHOP_ONE, SHOP_TWO } from './hosts.js'
import type { Pages } from './pages.js'
import { openPlainDoor } from './plain-door.js'
import { startPlainPages } from './plain-pages.js'
import { ReceivedRequests } from './received-requests.js'

/** Of each step in a browser, on a machine that may be busy. */
const PATIENCE_MS = 30_000

/**
 * The service on its servers and pages of every origin: all over https, each under its own name, in the browser of the
 * worker. One at a time: the browser is led to the latest.
 */
export class Stage {
  readonly people: BrowserContext[] = []
  /** What went wrong in the tabs of the real pages, by the browser's account. */
  readonly complaints: string[] = []

  private constructor(
    readonly app: TestApp,
    readonly redis: RedisServer,
    readonly received: ReceivedRequests,
    private readonly browser: Browser,
    private readonly cleanUp: (() => unknown)[],
  ) {}

  static async start(
    startPages: (certificate: Certificate) => Promise<Pages> = startPlainPages,
    environment: Environment = {},
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

  /** A tab of another person for the real pages. */
  async newTab(options: BrowserContextOptions = {}): Promise<Page> {
    return this.openTab(await this.newPerson(options))
  }

  /** A tab for the real pages. */
  async openTab(person: BrowserContext): Promise<Page> {
    const page = await person.newPage()
    page.on('pageerror', ({ message }) => this.complaints.push(message))
    page.on('console', message => {
      // A refusal of the API is no fault of the page.
      const isRefusal = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isRefusal) this.complaints.push(message.text())
    })
    return page
  }

  async stop(): Promise<void> {
    for (const step of this.cleanUp) await step()
  }

  private static async startWith(
    cleanUp: (() => unknown)[],
    startPages: (certificate: Certificate) => Promise<Pages>,
    environment: Environment,
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

/**
 * A stage for the tests of the file that calls this, as `anApp` has an app. Nothing may go wrong in the tabs of a test; who
 * came in it leaves before the next.
 */
export function aStage(
  startPages?: Parameters<typeof Stage.start>[0],
  environment: Environment | (() => Environment) = {},
): Stage {
  const stage: Stage = Object.create(Stage.prototype)
  let others = 0
  beforeAll(async () => {
    const variables = typeof environment === 'function' ? environment() : environment
    Object.assign(stage, await Stage.start(startPages, variables))
  })
  let guests: BrowserContext[] = []
  beforeEach(async () => {
    for (const person of guests) await person.close()
    others = stage.people.length
  })
  afterEach(() => {
    guests = stage.people.slice(others)
    expect(stage.complaints.splice(0)).toEqual([])
  })
  afterAll(() => stage.app && stage.stop())
  return stage
}

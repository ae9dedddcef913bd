import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import pg from 'pg'
import { BuiltServer } from '../../conformance/service/built-server.js'
import { environmentOf, PROVIDER, secretsBeside } from '../../conformance/service/environment.js'
import { generateKeys, generateSecretKeys, MailOutbox, PaymentSandbox } from '../../sources.js'
import { PASSWORD } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { Balancer } from '../../support/processes/balancer.js'
import { freePort } from '../../support/processes/free-port.js'
import { run } from '../../support/processes/run-program.js'
import { startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'

/** Checks that notice a replica that is stopping well before it has drained. */
const CHECKS = { everyMs: 100, failures: 2 }
const DRAIN_SECONDS = '2'
/** Those of the service, so that no login makes a new hash. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** What requests are sent to: one replica, or the balancer before both. */
export type Door = Pick<TestApp, 'request' | 'post'>

/** Two replicas behind a balancer, on PostgreSQL and Redis; each is of one release or the other. */
export class Installation {
  private readonly running = new Map<number, BuiltServer>()
  private readonly retired: BuiltServer[] = []

  private constructor(
    private readonly ports: readonly number[],
    private readonly environment: Readonly<Record<string, string>>,
    private readonly balancer: Balancer,
    readonly database: pg.Pool,
    readonly sandbox: PaymentSandbox,
    readonly outbox: MailOutbox,
    private readonly cleanUp: (() => Promise<unknown>)[],
  ) {}

  /** All replicas, and the database, of this release. `users` are lines for users:import, whose password is {@link PASSWORD}. */
  static async start(release: string, users: readonly object[]): Promise<Installation> {
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-upgrade-'))
    const cleanUp: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })]
    try {
      const [postgres, redis, outbox, sandbox, ...ports] = await Promise.all([
        createDatabase({ isEmpty: true }),
        startRedis(),
        MailOutbox.start({ port: 0 }),
        PaymentSandbox.start({ ...PROVIDER, port: 0, webhookUrl: null }),
        freePort(),
        freePort(),
      ])
      const keysFile = join(folder, 'jwt-keys.json')
      await generateKeys(keysFile, new Date())
      await generateSecretKeys(secretsBeside(keysFile), new Date())
      const environment = environmentOf({
        DATABASE_URL: postgres.url,
        SESSION_STORE_URL: redis.url,
        DATABASE_TIMEOUT_MS: '3000',
        SESSION_STORE_TIMEOUT_MS: '3000',
        JWT_KEYS_FILE: keysFile,
        STRIPE_API_URL: sandbox.url,
        SMTP_URL: outbox.smtpUrl,
        MAIL_FROM: 'Mainstay <no-reply@main.test>',
        MAILS_PER_ADDRESS: '100000',
        MAILS_PER_NETWORK: '100000',
        WRITES_PER_USER: '100000',
        PAYMENT_REQUESTS_PER_USER: '100000',
        PAYMENT_REQUESTS_PER_ACCOUNT: '100000',
        SIGN_UP: 'on',
        LOG_LEVEL: 'warn',
        DRAIN_SECONDS,
      })
      const balancer = await Balancer.start(ports.map(urlOf), CHECKS)
      const database = new pg.Pool({ connectionString: postgres.url, max: 2 })
      cleanUp.unshift(
        () => balancer.stop(),
        () => database.end(),
        () => Promise.all([postgres.drop(), redis.stop(), outbox.stop(), sandbox.stop()]),
      )
      const installation = new Installation(ports, environment, balancer, database, sandbox, outbox, cleanUp)
      await installation.importUsers(release, folder, users)
      await Promise.all(ports.map((_, slot) => installation.launch(slot, release)))
      return installation
    } catch (error) {
      for (const step of cleanUp) await step()
      throw error
    }
  }

  /** As clients see it. */
  get fleet(): Door {
    return doorTo(this.balancer.url)
  }

  replica(slot: number): Door {
    return doorTo(urlOf(this.ports[slot] as number))
  }

  /** As an orchestrator does: ends the replica in order, then starts one of this release in its place. */
  async replace(slot: number, release: string): Promise<void> {
    const replica = this.running.get(slot) as BuiltServer
    const code = await replica.end()
    if (code !== 0) throw new Error(`A replica ended with ${code}`)
    await this.launch(slot, release)
  }

  /** Runs a command of this release's command line; throws what it printed when it fails. */
  async cli(release: string, ...args: string[]): Promise<string> {
    const program = join(release, 'dist/src/cli.js')
    const ended = await run(program, args, { ...this.environment, LOG_LEVEL: 'silent' }, 60_000)
    if (ended.code !== 0) throw new Error(`cli ${args.join(' ')}: ${ended.errors || ended.output}`)
    return ended.output
  }

  /** What all replicas so far have logged at `warn` and above. */
  async logged(): Promise<{ readonly level: number; readonly msg: string }[]> {
    const servers = [...this.retired, ...this.running.values()]
    return (await Promise.all(servers.map(server => server.logLines()))).flat().map(line => JSON.parse(line))
  }

  async stop(): Promise<void> {
    await Promise.all([...this.retired, ...this.running.values()].map(server => server.stop()))
    for (const step of this.cleanUp) await step()
  }

  private async launch(slot: number, release: string): Promise<void> {
    const before = this.running.get(slot)
    if (before) this.retired.push(before)
    const environment = { ...this.environment, PORT: String(this.ports[slot]) }
    this.running.set(slot, await BuiltServer.start(environment, release))
  }

  private async importUsers(release: string, folder: string, users: readonly object[]): Promise<void> {
    const passwordHash = await hash(PASSWORD, ARGON2ID)
    const file = join(folder, 'users.jsonl')
    await writeFile(file, users.map(user => `${JSON.stringify({ ...user, passwordHash })}\n`).join(''))
    await this.cli(release, 'users:import', file)
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

/** Asks as a {@link TestApp} does, whoever answers there. */
function doorTo(url: string): Door {
  return Object.assign(Object.create(TestApp.prototype), { url })
}

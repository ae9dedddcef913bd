import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import pg from 'pg'
import { environmentOf, PROVIDER, secretsBeside } from '../../conformance/service/environment.js'
import { generateKeys, generateSecretKeys, MailOutbox, PaymentSandbox } from '../../sources.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { type Ended, run } from '../../support/processes/run-program.js'
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import { recommendedRedisSettings } from './recommended-redis.js'
import { Replica } from './replica.js'
import { Shard } from './shard.js'

const REPLICAS = ['one', 'two', 'three']
const CLI_ENDS_WITHIN_MS = 60_000
export const PASSWORD = 'a password nobody else has'
/** Those of the service, so that no login makes a new hash. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Three processes of the service with the settings of production, on a cluster of 3 + 3 as docs/operations/redis.md wants it, and PostgreSQL. */
export class Fleet {
  private constructor(
    readonly replicas: readonly Replica[],
    readonly cluster: RedisCluster,
    readonly shards: readonly Shard[],
    readonly database: pg.Pool,
    readonly outbox: MailOutbox,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly cleanUp: readonly (() => Promise<unknown>)[],
  ) {}

  /** With one account: `owner@fleet.test` and as many members as this, all with one password. */
  static async start(memberCount: number): Promise<Fleet> {
    const cleanUp: (() => Promise<unknown>)[] = []
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-fleet-'))
    cleanUp.unshift(() => rm(folder, { recursive: true }))
    try {
      const postgres = await createDatabase()
      cleanUp.unshift(() => postgres.drop())
      const outbox = await MailOutbox.start({ port: 0 })
      cleanUp.unshift(() => outbox.stop())
      const sandbox = await PaymentSandbox.start({ ...PROVIDER, port: 0, webhookUrl: null })
      cleanUp.unshift(() => sandbox.stop())
      const keysFile = join(folder, 'jwt-keys.json')
      await generateKeys(keysFile, new Date())
      await generateSecretKeys(secretsBeside(keysFile), new Date())
      const shared = environmentOf({
        DATABASE_URL: postgres.url,
        JWT_KEYS_FILE: keysFile,
        STRIPE_API_URL: sandbox.url,
        SMTP_URL: outbox.smtpUrl,
        MAIL_FROM: 'Mainstay <no-reply@main.test>',
        MAILS_PER_NETWORK: '100000',
        // One manager makes the changes of hours.
        WRITES_PER_USER: '1000000',
      })
      const [cluster] = await Promise.all([
        startRedisCluster(recommendedRedisSettings()),
        importUsers(memberCount, folder, shared),
      ])
      cleanUp.unshift(() => cluster.stop())
      const environment = { ...shared, SESSION_STORE_URL: cluster.url }
      const redisPorts = cluster.nodes.map(({ port }) => port)
      const databasePort = Number(new URL(postgres.url).port)
      const start = async (name: string) => {
        const replica = await Replica.start(name, environment, { redisPorts, databasePort })
        cleanUp.unshift(() => replica.stop())
        return replica
      }
      const replicas = await Promise.all(REPLICAS.map(start))
      const database = new pg.Pool({ connectionString: postgres.url, max: 4 })
      cleanUp.unshift(() => database.end())
      const shards = await Shard.allOf(cluster)
      return new Fleet(replicas, cluster, shards, database, outbox, environment, cleanUp)
    } catch (error) {
      for (const step of cleanUp) await step()
      throw error
    }
  }

  /** What an operator does at the command line. Throws what it printed when it fails. */
  async cli(...args: string[]): Promise<void> {
    await runCli(args, this.environment)
  }

  /** Waits until every shard has its master and its replica, and all nodes see the whole cluster. */
  async redisIsWhole(): Promise<void> {
    await Promise.all(this.shards.map(shard => shard.roles()))
    await this.cluster.isWhole()
  }

  async stop(): Promise<void> {
    for (const step of this.cleanUp) await step()
  }
}

export function memberEmail(index: number): string {
  return `member-${index}@fleet.test`
}

async function importUsers(count: number, folder: string, environment: Readonly<Record<string, string>>) {
  const common = { account: 'fleet', passwordHash: await hash(PASSWORD, ARGON2ID) }
  const members = Array.from({ length: count }, (_, index) => ({
    email: memberEmail(index),
    role: 'member',
    permissions: ['accountSettings', 'dataEntry', 'viewReports'],
    ...common,
  }))
  const lines = [{ email: 'owner@fleet.test', role: 'owner', ...common }, ...members]
  const file = join(folder, 'users.jsonl')
  await writeFile(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  await runCli(['users:import', file], environment)
}

async function runCli(args: string[], environment: Readonly<Record<string, string>>): Promise<Ended> {
  const ended = await run(
    'dist/joined/cli.js',
    args,
    { ...environment, LOG_LEVEL: 'silent' },
    CLI_ENDS_WITHIN_MS,
  )
  if (ended.code !== 0) throw new Error(`cli ${args.join(' ')}: ${ended.errors || ended.output}`)
  return ended
}

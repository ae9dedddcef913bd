import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NestFactory } from '@nestjs/core'
import pg from 'pg'
import { environmentOf, PROVIDER, secretsBeside } from '../../conformance/service/environment.js'
import { aPlansFile } from '../../http/support/paying.js'
import {
  AppModule,
  Clock,
  createStripe,
  generateKeys,
  generateSecretKeys,
  PaymentSandbox,
  readSettings,
  UserAdministration,
} from '../../sources.js'
import { anEmail, PASSWORD } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { freePort } from '../../support/processes/free-port.js'
import { startRedis } from '../../support/redis/redis-server.js'
import { KillableService } from '../support/killable-service.js'
import type { Random } from '../support/random.js'
import { slowCommits } from '../support/slow-commits.js'
import { type BillingWorld, PayingAccount, type Team } from './paying-account.js'

/** Processes of the service: with several there is one that answers while others start. */
const PROCESSES = 3
/** Logins at once; argon2id takes both cores. */
const AT_ONCE = 4
/** Besides the owner; they come and go, and one of the plans is billed by their number. */
const MEMBERS_EACH = 2

export interface ModelWorld extends BillingWorld {
  readonly accounts: readonly PayingAccount[]
  stop(): Promise<void>
}

/** The built service in several processes on PostgreSQL and Redis, the payment sandbox, and owners who are logged in. */
export async function startModelWorld(
  { accounts: accountCount, commitMs }: { accounts: number; commitMs: number },
  random: Random,
): Promise<ModelWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-model-'))
  const keysFile = join(folder, 'jwt-keys.json')
  await generateKeys(keysFile, new Date())
  await generateSecretKeys(secretsBeside(keysFile), new Date())
  const [postgres, redis] = await Promise.all([createDatabase(), startRedis()])
  // Events go out by the test's own hand.
  const sandbox = await PaymentSandbox.start({
    ...PROVIDER,
    port: 0,
    secondaryEvents: false,
    webhookUrl: null,
  })
  const plans = await aPlansFile()
  const environment = environmentOf({
    PLANS_FILE: plans.path,
    DATABASE_URL: postgres.url,
    SESSION_STORE_URL: redis.url,
    JWT_KEYS_FILE: keysFile,
    STRIPE_API_URL: sandbox.url,
    ACCESS_TOKEN_TTL_SECONDS: '36000',
    LOG_LEVEL: 'silent',
  })
  const teams = await hire(accountCount, environment)
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 })
  await slowCommits(database, commitMs)
  const services: KillableService[] = []
  for (let count = 0; count < PROCESSES; count++)
    services.push(await KillableService.start({ ...environment, PORT: String(await freePort()) }))
  const stripe = createStripe({ ...PROVIDER, apiUrl: new URL(sandbox.url) })
  const world = { services, sandbox, stripe, database, random }
  const accounts: PayingAccount[] = []
  while (accounts.length < teams.length) {
    const batch = teams.slice(accounts.length, accounts.length + AT_ONCE)
    accounts.push(...(await Promise.all(batch.map(team => PayingAccount.signIn(team, world)))))
  }
  const stop = async () => {
    await Promise.all(services.map(service => service.stop()))
    await database.end()
    await sandbox.stop()
    await Promise.all([postgres.drop(), redis.stop(), plans.remove(), rm(folder, { recursive: true })])
  }
  return { ...world, accounts, stop }
}

/** Accounts with their owners and members, made as at the command line. */
async function hire(count: number, environment: Readonly<Record<string, string>>): Promise<Team[]> {
  const settings = readSettings({ ...environment, PORT: '0' })
  const node = await NestFactory.createApplicationContext(AppModule.with(settings, new Clock()), {
    logger: false,
    abortOnError: false,
  })
  const creation = node.get(UserAdministration)
  const teams: Team[] = []
  while (teams.length < count) {
    const owner = await creation.createAccount(anEmail(), PASSWORD)
    const memberIds: string[] = []
    while (memberIds.length < MEMBERS_EACH) {
      const { id } = await creation.createMember(owner.accountId, anEmail(), PASSWORD)
      memberIds.push(id)
    }
    teams.push({ owner, memberIds })
  }
  await node.close()
  return teams
}

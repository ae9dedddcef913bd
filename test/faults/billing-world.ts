import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NestFactory } from '@nestjs/core'
import pg from 'pg'
import { PaymentSandbox } from '../../dev/payment-sandbox/payment-sandbox.js'
import { AccountsService } from '../../src/accounts/accounts.service.js'
import type { User } from '../../src/accounts/user.js'
import { AppModule } from '../../src/app.module.js'
import { createStripe } from '../../src/billing/payment-provider.js'
import { Clock } from '../../src/clock/clock.js'
import { readSettings } from '../../src/config/read-settings.js'
import { generateKeys } from '../../src/tokens/key-file.js'
import { environmentOf, PROVIDER } from '../conformance/environment.js'
import { freePort } from '../support/free-port.js'
import { anEmail, PASSWORD } from '../support/people.js'
import { createDatabase } from '../support/postgres-server.js'
import { startRedis } from '../support/redis-server.js'
import { KillableService } from './killable-service.js'
import { type BillingWorld, PayingAccount } from './paying-account.js'
import type { Random } from './random.js'

/** Processes of the service: with several there is one that answers while others start. */
const PROCESSES = 3
/** Logins at once; argon2id takes both cores. */
const AT_ONCE = 4

export interface ModelWorld extends BillingWorld {
  readonly accounts: readonly PayingAccount[]
  stop(): Promise<void>
}

/** The built service in several processes on PostgreSQL and Redis, the payment sandbox, and owners who are logged in. */
export async function startModelWorld(accountCount: number, random: Random): Promise<ModelWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-model-'))
  const keysFile = join(folder, 'jwt-keys.json')
  await generateKeys(keysFile, new Date())
  const [postgres, redis] = await Promise.all([createDatabase(), startRedis()])
  // Events go out by the test's own hand.
  const sandbox = await PaymentSandbox.start({ ...PROVIDER, port: 0, webhookUrl: null })
  const environment = environmentOf({
    DATABASE_URL: postgres.url,
    SESSION_STORE_URL: redis.url,
    JWT_KEYS_FILE: keysFile,
    STRIPE_API_URL: sandbox.url,
    ACCESS_TOKEN_TTL: '36000',
    LOG_LEVEL: 'silent',
  })
  const owners = await hire(accountCount, environment)
  const services: KillableService[] = []
  for (let count = 0; count < PROCESSES; count++)
    services.push(await KillableService.start({ ...environment, PORT: String(await freePort()) }))
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 })
  const stripe = createStripe({ ...PROVIDER, apiUrl: new URL(sandbox.url) })
  const world = { services, sandbox, stripe, database, random }
  const accounts: PayingAccount[] = []
  while (accounts.length < owners.length) {
    const batch = owners.slice(accounts.length, accounts.length + AT_ONCE)
    accounts.push(...(await Promise.all(batch.map(owner => PayingAccount.signIn(owner, world)))))
  }
  const stop = async () => {
    await Promise.all(services.map(service => service.stop()))
    await database.end()
    await sandbox.stop()
    await Promise.all([postgres.drop(), redis.stop(), rm(folder, { recursive: true })])
  }
  return { ...world, accounts, stop }
}

/** Owners of accounts of their own, made as at the command line. */
async function hire(count: number, environment: Readonly<Record<string, string>>): Promise<User[]> {
  const settings = readSettings({ ...environment, PORT: '0' })
  const node = await NestFactory.createApplicationContext(AppModule.with(settings, new Clock()), {
    logger: false,
    abortOnError: false,
  })
  const owners: User[] = []
  while (owners.length < count)
    owners.push(await node.get(AccountsService).createAccount(anEmail(), PASSWORD))
  await node.close()
  return owners
}

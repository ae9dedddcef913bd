// The service as it is measured, and the bare limits beside it.
import { join } from 'node:path'
import { generateSecretKeys } from '../dist/src/platform/secrets/key-files.js'
import { generateKeys } from '../dist/src/tokens/signing-keys.js'
import { Child, FOLDER, freePort, MEASURED_CORE, query, ROOT } from './machine.mjs'

export const SATELLITE = 'https://data.customer-of-ours.example'

/** As the image starts it. */
const NODE_OPTIONS = ['--max-semi-space-size=16']
const ENTRY = 'dist/joined/main.js'
/** The settings of production, but for log lines of single requests. */
export function serviceEnvironment({ databaseUrl, redisUrl }) {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://api.main-site.example',
    MAIN_ORIGIN: 'https://www.main-site.example',
    ALLOWED_ORIGINS: `${SATELLITE},https://another-customer.example`,
    COOKIE_DOMAIN: 'main-site.example',
    DATABASE_URL: databaseUrl,
    SESSION_STORE_URL: redisUrl,
    JWT_KEYS_FILE: join(FOLDER, 'jwt-keys.json'),
    SECRETS_KEYS_FILE: join(FOLDER, 'secrets-keys.json'),
    STRIPE_SECRET_KEY: 'sk_test_for_the_bench_only',
    STRIPE_WEBHOOK_SECRET: 'whsec_only_for_the_bench',
    STRIPE_PRICE_IDS: 'price_monthly',
    DATA_DIR: FOLDER,
    NODE_COMPILE_CACHE: join(FOLDER, 'compiled'),
    LOG_LEVEL: 'warn',
    // Every guess of the bench comes from one address.
    ATTEMPTS_PER_NETWORK: '100000',
    ATTEMPTS_PER_ORIGIN: '100000',
    ATTEMPTS_TOTAL: '100000',
    LOGINS_PER_ACCOUNT: '1000000',
    LOGINS_PER_NETWORK: '1000000',
    WRONG_SESSION_IDS_PER_NETWORK: '1000000',
    WRITES_PER_USER: '1000000',
  }
}

/** The built service on a free port, on one core. */
export function startService(name, environment) {
  return startProgram(name, [...NODE_OPTIONS, ENTRY], environment, '/health/ready')
}

/** The bare Fastify handlers on a free port, on the same core. */
export function startBare(environment) {
  return startProgram('bare', [join(import.meta.dirname, 'bare.mjs')], environment, '/health')
}

async function startProgram(name, args, environment, healthPath) {
  const port = await freePort()
  const child = await Child.start({
    name,
    command: process.execPath,
    args,
    cwd: ROOT,
    env: { ...environment, PORT: String(port) },
    cores: MEASURED_CORE,
    isReady: async () => (await fetch(`http://127.0.0.1:${port}${healthPath}`)).status === 200,
  })
  return { name, port, child }
}

/** argon2id alone on the same core, which verifies these hashes; `ask({ seconds })` has it answer how many a second. */
export async function startArgon2(hashes, password) {
  const argon2 = await Child.start({
    name: 'argon2',
    command: process.execPath,
    args: [join(import.meta.dirname, 'bare-argon2.mjs')],
    cores: MEASURED_CORE,
    messages: true,
    isReady: async () => true,
  })
  await argon2.ask({ hashes, password })
  return argon2
}

/** The settings of an installation of its own: a new database, the Redis at `redisUrl`, and its keys. */
export async function environmentOf(name, databaseUrl, redisUrl) {
  await query(databaseUrl, `create database ${name}`)
  return {
    ...serviceEnvironment({ databaseUrl: databaseUrl.replace(/postgres$/, name), redisUrl }),
    JWT_KEYS_FILE: join(FOLDER, `jwt-keys-${name}.json`),
    SECRETS_KEYS_FILE: join(FOLDER, `secrets-keys-${name}.json`),
  }
}

/** Makes the two key files that these settings name. */
export async function makeKeys({ JWT_KEYS_FILE, SECRETS_KEYS_FILE }) {
  await generateKeys(JWT_KEYS_FILE, new Date())
  await generateSecretKeys(SECRETS_KEYS_FILE, new Date())
}

/** What is compared must do the same: each accepts the other's access token and says the same of it. Throws otherwise. */
export async function requireSameAnswers(service, bare, { sessionId }, userAgent) {
  const answers = []
  // From another client, the service would look again and delete the copy.
  const refresher = { 'X-Session-ID': sessionId, 'User-Agent': userAgent }
  for (const issuer of [service, bare]) {
    const { accessToken } = await ask(issuer, 'POST', '/api/refresh', refresher)
    for (const reader of [service, bare])
      answers.push(await ask(reader, 'GET', '/api/data', { Authorization: `Bearer ${accessToken}` }))
  }
  const texts = new Set(answers.map(answer => JSON.stringify(answer)))
  if (texts.size !== 1) throw new Error(`The service and the bare handler differ: ${[...texts].join(' ')}`)
}

async function ask({ name, port }, method, path, headers) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })
  if (answer.status !== 200) throw new Error(`${path} on ${name}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

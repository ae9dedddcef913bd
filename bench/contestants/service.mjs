import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Child } from '../machine/child.mjs'
import { freePort } from '../machine/free-port.mjs'
import { FOLDER, MEASURED_CORE, ROOT } from '../machine/machine.mjs'

export const SATELLITE = 'https://data.customer-of-ours.example'
const PROFILER = pathToFileURL(join(import.meta.dirname, '../profile/profiler.mjs')).href

/** As the image starts it. */
export const NODE_OPTIONS = ['--max-semi-space-size=16']
export const ENTRY = 'dist/joined/main.js'
/** The same in modules: a profile says by a file's path whose time it was. */
const MODULES = 'dist/src/main.js'

/** The settings of production, but for log lines of single requests. */
export function serviceEnvironment({ databaseUrl, redisUrl, smtpUrl }) {
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
    ...(smtpUrl && { SMTP_URL: smtpUrl, MAIL_FROM: 'no-reply@main-site.example' }),
    MAILS_PER_ADDRESS: '1000',
    MAILS_PER_NETWORK: '100000',
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

/** The built service on a free port, on one core. `isProfiled` makes it take `ask('start')` and `ask('stop')`. */
export async function startService(name, environment, { isProfiled = false } = {}) {
  const port = await freePort()
  const service = await Child.start({
    name,
    command: process.execPath,
    args: [...NODE_OPTIONS, ...(isProfiled ? ['--import', PROFILER, MODULES] : [ENTRY])],
    cwd: ROOT,
    env: { ...environment, PORT: String(port) },
    cores: MEASURED_CORE,
    messages: isProfiled,
    isReady: () => isReady(`http://127.0.0.1:${port}`),
  })
  return { name, port, child: service }
}

export async function isReady(url) {
  const { status } = await fetch(`${url}/health/ready`)
  return status === 200
}

/** The bare Fastify handlers on a free port, on the same core. */
export async function startBare(environment, { isProfiled = false } = {}) {
  const port = await freePort()
  const bare = await Child.start({
    name: isProfiled ? 'bare-profiled' : 'bare',
    command: process.execPath,
    args: [...(isProfiled ? ['--import', PROFILER] : []), join(import.meta.dirname, 'bare.mjs')],
    env: { ...environment, PORT: String(port) },
    cores: MEASURED_CORE,
    messages: isProfiled,
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/health`)).status === 200,
  })
  return { name: 'bare', port, child: bare }
}

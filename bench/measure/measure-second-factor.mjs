import 'reflect-metadata'
import { Agent } from 'node:http'
import { NestFactory } from '@nestjs/core'
import { generateSecret, generateSync } from 'otplib'
import { AppModule } from '../../dist/src/app.js'
import { TotpFactors } from '../../dist/src/factors/totp.js'
import { UserFactors } from '../../dist/src/factors/user-factors.js'
import { readSettings } from '../../dist/src/platform/config/read-settings.js'
import { Clock } from '../../dist/src/platform/time.js'
import { SessionChanges } from '../../dist/src/sessions/revocation/changes.js'
import { StoreSupervisor } from '../../dist/src/sessions/revocation/store-supervisor.js'
import { canonicalEmail } from '../../dist/src/users/email.js'
import { UserCreation } from '../../dist/src/users/user-changes.js'
import { makeKeys } from '../contestants/make-keys.mjs'
import { serviceEnvironment, startService } from '../contestants/service.mjs'
import { stopAll } from '../machine/stop-all.mjs'
import { startPostgres, startRedis } from '../machine/stores.mjs'
import { markdownTable } from '../markdown-table.mjs'
import { PASSWORD } from '../seed.mjs'
import { postJson } from './post-json.mjs'
import { median } from './rounds.mjs'

const BAR = 1.05
/** Of each kind; every one logs in once, because a code counts once. */
const USERS = 300
const WARM_UP = 20

/**
 * Milliseconds of a login with a code, both requests, beside one with a password alone. Exit code 1 when the bar is missed;
 * rejects when an answer was another than expected.
 */
export async function measureSecondFactor() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const [databaseUrl, redisUrl] = await Promise.all([startPostgres(), startRedis('redis')])
    const environment = serviceEnvironment({ databaseUrl, redisUrl })
    await makeKeys(environment)
    const { plain, enrolled } = await makeUsers(environment)
    const { port } = await startService('service', environment)
    const post = (path, body, status) => postJson({ agent, port, path, body, status })
    const logIns = {
      password: index => post('/api/login', firstStep(plain[index]), 200),
      code: index => withCode(post, enrolled[index]),
    }
    report(await measureInTurn(logIns))
  } finally {
    agent.destroy()
    await stopAll()
  }
}

async function makeUsers(environment) {
  const settings = readSettings(environment)
  const app = await NestFactory.createApplicationContext(AppModule.with(settings, new Clock()), {
    logger: ['error', 'warn'],
    abortOnError: false,
  })
  try {
    await app.get(StoreSupervisor).start()
    const plain = []
    const enrolled = []
    for (let index = 0; index < USERS; index++) {
      plain.push(await aUser(app, `plain-${index}`))
      const user = await aUser(app, `enrolled-${index}`)
      enrolled.push({ ...user, secret: await enrol(app, user) })
    }
    return { plain, enrolled }
  } finally {
    await app.close()
  }
}

function aUser(app, name) {
  return app.get(UserCreation).createAccount(canonicalEmail(`${name}@customer.example`), PASSWORD)
}

async function enrol(app, { id }) {
  const secret = generateSecret()
  await app.get(SessionChanges).commit(async transaction => {
    await app.get(TotpFactors).add(transaction, id, secret)
    return app.get(UserFactors).reassess(transaction, id)
  })
  return secret
}

async function withCode(post, user) {
  const { challenge } = await post('/api/login', firstStep(user), 401)
  await post('/api/login/second-factor', { challenge, code: generateSync({ secret: user.secret }) }, 200)
}

function firstStep({ email }) {
  return { email, password: PASSWORD, source: 'satellite' }
}

async function measureInTurn(logIns) {
  const times = { password: [], code: [] }
  for (let index = 0; index < USERS; index++) {
    const order = index % 2 === 0 ? ['password', 'code'] : ['code', 'password']
    for (const kind of order) {
      const startedAt = performance.now()
      await logIns[kind](index)
      if (index >= WARM_UP) times[kind].push(performance.now() - startedAt)
    }
  }
  return times
}

function report({ password, code }) {
  const [alone, both] = [median(password), median(code)]
  const ratio = both / alone
  const rows = [
    ['a password', alone.toFixed(2)],
    ['a password and a code', both.toFixed(2)],
    [`ratio (bar ${BAR})`, ratio.toFixed(3)],
  ]
  console.log(markdownTable(['a login with', 'ms (median)'], rows))
  if (ratio > BAR) process.exitCode = 1
}

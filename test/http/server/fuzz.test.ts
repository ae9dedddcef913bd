import { Agent, type IncomingMessage, request as startRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ERROR_CODES, type ErrorCode } from '../../sources.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie } from '../support/api-calls.js'
import { type FuzzRequest, OPERATIONS, type Operation, requestOf } from '../support/fuzz.js'
import { reauthenticate } from '../support/reauthenticate.js'

/** For each operation; FUZZ_REQUESTS=2000 with test:quick, where each run asks others. A failure names its seed, which FUZZ_SEED repeats. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 30)
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.TEST_TIER === 'quick' ? Date.now() % 2 ** 31 : 1))
const AT_ONCE = 8
/** What is said by a service that is well, however bad the request. */
const MAY_BE_BUSY: ReadonlySet<string> = new Set(['TOO_BUSY'])
const UNLIMITED = '1000000'
const ENVIRONMENT = {
  LOG_LEVEL: 'silent',
  ATTEMPTS_PER_ACCOUNT_AND_NETWORK: '100',
  ATTEMPTS_PER_ACCOUNT: '100',
  ...Object.fromEntries(
    [
      'ATTEMPTS_PER_NETWORK',
      ...['MAILS_PER_ADDRESS', 'MAILS_PER_NETWORK', 'MAILS_PER_USER', 'MAILS_PER_ACCOUNT'],
      ...['LOGINS_PER_ACCOUNT', 'LOGINS_PER_NETWORK', 'WRONG_SESSION_IDS_PER_NETWORK'],
      ...['WRITES_PER_USER', 'HANDOFFS_PER_USER', 'PAYMENT_REQUESTS_PER_USER'],
      ...['PAYMENT_REQUESTS_PER_ACCOUNT', 'SATELLITE_CHECKS_PER_ACCOUNT'],
    ].map(name => [name, UNLIMITED]),
  ),
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

let app: TestApp
const worked = new Set<Operation>()
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
beforeAll(async () => {
  app = await TestApp.start(ENVIRONMENT)
})
afterAll(async () => {
  agent.destroy()
  await app.stop()
})

async function freshSession(): Promise<SignedIn> {
  const session = await signIn(app, await anOwner(app), 'main')
  await reauthenticate(app, session)
  return session
}

async function send(request: FuzzRequest, session: SignedIn): Promise<Answer> {
  const { method, path, body, isLoggedIn } = request
  const tokens = { ...bearer(session.accessToken), ...cookie(session.sessionId) }
  // Node would frame the body of a GET by neither length nor chunks.
  const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const headers = { ...(isLoggedIn && tokens), ...length, ...request.headers }
  const { port } = new URL(app.url)
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    startRequest({ agent, host: '127.0.0.1', port, method, path, headers, timeout: 20_000 })
      .once('error', reject)
      .once('response', resolve)
      .end(body ?? undefined)
  })
  return { status: message.statusCode ?? 0, headers: message.headers, text: await readText(message) }
}

/** What is wrong with this answer; empty when nothing is. */
function faultsOf({ status, headers, text }: Answer, { path }: Operation): string[] {
  const faults: string[] = []
  const vary = String(headers.vary ?? '').toLowerCase()
  const isPublic = String(headers['cache-control']).startsWith('public, max-age=')
  if (!vary.split(', ').includes('origin')) faults.push(`Vary is "${vary}"`)
  if (headers['cache-control'] !== 'no-store' && !isPublic)
    faults.push(`Cache-Control is "${headers['cache-control']}"`)
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('nosniff is missing')
  if (!headers['x-request-id']) faults.push('X-Request-Id is missing')
  if (status < 400) return faults
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8')
    faults.push(`Content-Type is "${headers['content-type']}"`)
  const { code = '', status: named } = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, never>
  const known = ERROR_CODES[code as ErrorCode]
  if (!known || known.status !== status || named !== status) faults.push(`${status} says ${code} of ${named}`)
  // Its own answer, which load balancers read.
  const isHealth = path.startsWith('/health/')
  if (status >= 500 && !isHealth && !MAY_BE_BUSY.has(code)) faults.push(`it failed: ${text}`)
  return faults
}

describe(`every documented operation, asked ${REQUESTS} bad questions (FUZZ_SEED=${SEED})`, () => {
  slow.each(OPERATIONS.map(operation => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    async (_, operation) => {
      let session = await freshSession()
      const requests = fc.sample(requestOf(operation), { numRuns: REQUESTS, seed: SEED })
      for (let index = 0; index < requests.length; index += AT_ONCE) {
        const some = requests.slice(index, index + AT_ONCE)
        const answers = await Promise.all(some.map(request => send(request, session)))
        answers.forEach((answer, place) => {
          if (answer.status < 300) worked.add(operation)
          expect({ request: some[place], faults: faultsOf(answer, operation) }).toEqual({
            request: some[place],
            faults: [],
          })
        })
        // One of them has worked, and ended it.
        if (answers.some(({ text }) => text.includes('SESSION_NOT_FOUND'))) session = await freshSession()
      }
    },
    600_000,
  )

  it('has had some of them work: a fuzzer that is refused at the door finds nothing', () => {
    expect(OPERATIONS.length).toBeGreaterThan(80)
    expect(worked.size).toBeGreaterThan(OPERATIONS.length / 4)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { permissionsOf } from '../../../src/permissions/permissions.js'
import { handleOf, type SessionId } from '../../../src/sessions/session-id.js'
import { aMember, anEmail, anOwner, signIn } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { freePort } from '../../support/processes/free-port.js'
import { type Ended, run } from '../../support/processes/run-program.js'
import { TestApp } from '../../support/test-app.js'
import { outcome, readData, refreshByCookie, refreshByHeader } from '../support/api-calls.js'

describe('the command line, beside a running server', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start('redis + postgres', { LOG_LEVEL: 'silent' })
  })
  afterAll(() => app.stop())

  /** As an operator runs it, on the stores of the server. */
  function mainstay(...args: string[]): Promise<Ended> {
    const environment = { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores }
    return run('dist/src/cli.js', args, environment)
  }

  it.each([[[]], [['payments', '--none']]])(
    'user:permissions with %j changes nothing: it takes names or --none',
    async names => {
      const owner = await anOwner(app)
      const { sessionId } = await signIn(app, owner, 'main')
      const { code, errors } = await mainstay('user:permissions', owner.email, ...names)
      expect(code).toBe(1)
      expect(errors).toContain('--none')
      expect(await permissionsAfterRefresh(sessionId)).toEqual(owner.granted)
    },
  )

  it('user:permissions --none takes all away', async () => {
    const owner = await anOwner(app)
    const { sessionId } = await signIn(app, owner, 'main')
    expect(await mainstay('user:permissions', owner.email, '--none')).toMatchObject({ code: 0 })
    expect(await permissionsAfterRefresh(sessionId)).toEqual(permissionsOf([]))
  })

  it('session:list shows the handles, by which session:revoke ends one', async () => {
    const owner = await anOwner(app)
    const main = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    await signIn(app, await aMember(app, owner), 'main')
    const sids = [main, satellite].map(({ sessionId }) => handleOf(sessionId as SessionId))

    const listed = await mainstay('session:list', owner.email)
    expect(listed).toMatchObject({ code: 0 })
    expect(sidsIn(listed)).toEqual([...sids].sort())
    expect(listed.output).not.toContain(main.sessionId)

    expect(await mainstay('session:revoke', sids[0] as string)).toMatchObject({ code: 0 })
    expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByHeader(app, satellite.sessionId))).toBe('200')
    expect(sidsIn(await mainstay('session:list', owner.email))).toEqual([sids[1]])
    expect(await mainstay('session:revoke', sids[0] as string)).toMatchObject({ code: 1 })
  })

  it('session:list of nobody fails', async () => {
    expect(await mainstay('session:list', anEmail())).toMatchObject({ code: 1 })
  })

  /** The first word of every line but the last, which counts them. */
  function sidsIn({ output }: Ended): string[] {
    const lines = output.trim().split('\n')
    expect(lines.pop()).toBe(`${lines.length} sessions`)
    return lines.map(line => line.split(' ')[0] as string).sort()
  }

  async function permissionsAfterRefresh(sessionId: string): Promise<unknown> {
    const { json } = await refreshByCookie(app, sessionId)
    return (await readData(app, json.accessToken)).json.permissions
  }
})

it('the development server refuses to run in production', async () => {
  const database = await createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-production-'))
  try {
    const ended = await run('dist/dev/main.js', [], {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      PUBLIC_URL: 'https://api.main.test',
      MAIN_ORIGIN: 'https://www.main.test',
      ALLOWED_ORIGINS: 'https://shop.test',
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      JWT_KEYS_FILE: join(folder, 'jwt-keys.json'),
      STRIPE_SECRET_KEY: 'sk_test_of_the_operator_test',
      STRIPE_WEBHOOK_SECRET: 'whsec_of_the_operator_test_only',
      STRIPE_PRICE_IDS: 'price_monthly',
    })
    expect(ended.code).toBe(1)
    expect(ended.errors).toContain('NODE_ENV is production')
  } finally {
    await database.drop()
    await rm(folder, { recursive: true })
  }
})

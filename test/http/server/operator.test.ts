import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  FactorResetJob,
  factorResets,
  handleOf,
  newSessionId,
  permissionsOf,
  pluralize,
  RedisConnection,
  type SessionId,
  unavailable,
} from '../../sources.js'
import { giveTotp } from '../../support/factors.js'
import { aMember, anEmail, anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { freePort } from '../../support/processes/free-port.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { type Ended, run } from '../../support/processes/run-program.js'
import { anApp } from '../../support/test-app.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'
import { outcome, readData, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { untilCopied } from '../support/until-copied.js'

describe('the command line, beside a running server', () => {
  const app = anApp()

  const onItsStores = () => ({
    ...{ NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores },
    SMTP_URL: app.outbox.smtpUrl,
    MAIL_FROM: 'mainstay@main.test',
  })

  function mainstay(...args: string[]): Promise<Ended> {
    return runInProcess(args, onItsStores())
  }

  /** As an operator runs it. */
  function program(...args: string[]): Promise<Ended> {
    return run('dist/joined/cli.js', args, onItsStores())
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

  slowOnServers('user:permissions --none takes all away', async () => {
    const owner = await anOwner(app)
    const { sessionId } = await signIn(app, owner, 'main')
    expect(await mainstay('user:permissions', owner.email, '--none')).toMatchObject({ code: 0 })
    expect(await permissionsAfterRefresh(sessionId)).toEqual(permissionsOf([]))
  })

  slow('session:list shows the handles, by which session:revoke ends one', async () => {
    const owner = await anOwner(app)
    const main = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    await signIn(app, await aMember(app, owner), 'main')
    const sids = [main, satellite].map(({ sessionId }) => handleOf(sessionId as SessionId))

    const listed = await program('session:list', owner.email)
    expect(listed).toMatchObject({ code: 0 })
    expect(sidsIn(listed)).toEqual([...sids].sort())
    expect(listed.output).not.toContain(main.sessionId)

    expect(await mainstay('session:revoke', sids[0] as string)).toMatchObject({ code: 0 })
    expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByHeader(app, satellite.sessionId))).toBe('200')
    expect(sidsIn(await mainstay('session:list', owner.email))).toEqual([sids[1]])
    expect(await mainstay('session:revoke', sids[0] as string)).toMatchObject({ code: 1 })
  })

  slowOnServers('session:revoke ends a session although its copy in Redis cannot be deleted', async () => {
    const owner = await anOwner(app)
    const { sessionId } = await signIn(app, owner, 'main')
    const sid = handleOf(sessionId as SessionId)
    await untilCopied(app, sessionId, () => refreshByCookie(app, sessionId))
    const deleting = jest.spyOn(RedisConnection.prototype, 'run')
    deleting.mockRejectedValue(unavailable('SESSION_STORE_UNAVAILABLE'))
    const revoked = await mainstay('session:revoke', sid)
    expect(deleting).toHaveBeenCalled()
    deleting.mockRestore()
    expect(revoked).toMatchObject({ code: 0 })
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
  })

  slow('ends when it fails while it starts: it leaves no connection open', async () => {
    const settings = { ...onItsStores(), SECRETS_KEYS_FILE: app.settings.dataDir }
    const { code, errors } = await run('dist/joined/cli.js', ['operator:list'], settings)
    expect([code, errors]).toEqual([1, expect.stringContaining('SECRETS_KEYS_FILE')])
  })

  it('session:revoke takes a handle that begins with a hyphen', async () => {
    const handle = `-${handleOf(newSessionId()).slice(1)}`
    for (const args of [[handle], [handle, '--reason', 'lost'], ['--reason', 'lost', handle]])
      expect(await mainstay('session:revoke', ...args)).toMatchObject({
        code: 1,
        errors: expect.stringContaining('There is no live session with this handle'),
      })
  })

  it('session:list of nobody fails', async () => {
    expect(await mainstay('session:list', anEmail())).toMatchObject({ code: 1 })
  })

  slow('account:create makes an owner with the password that it reads, or prints', async () => {
    const [told, made] = [anEmail(), anEmail()]
    const created = await runInProcess(
      ['account:create', '--email', told, '--password-stdin'],
      onItsStores(),
      `${PASSWORD}\n`,
    )
    expect(created).toMatchObject({ code: 0, errors: '' })
    expect(created.output).toMatch(new RegExp(`^Created account \\S+ with owner ${told} \\(\\S+\\)\n$`))
    const { output } = await mainstay('account:create', '--email', made)
    const [, password] = /^Password: (\S{24})$/m.exec(output) ?? []
    expect(await login(told)).toBe('200')
    expect(await login(made, password)).toBe('200')
  })

  it('names an unknown option before a required one that is missing, with the nearest name', async () => {
    const { code, errors } = await mainstay('account:create', '--emial', anEmail())
    expect([code, errors]).toEqual([1, "error: unknown option '--emial'\n(Did you mean --email?)\n"])
    const missing = await mainstay('account:create')
    expect(missing.errors).toBe("error: required option '--email <address>' not specified\n")
  })

  it('users:import names a folder that was given as its file', async () => {
    const { code, errors } = await mainstay('users:import', tmpdir())
    expect([code, errors]).toEqual([1, `${tmpdir()} is a folder, not a file\n`])
  })

  onServers('users:import reads standard input, and fails when a line is faulty', async () => {
    const lines = `${JSON.stringify({ email: anEmail(), role: 'owner', passwordHash: null })}\nno JSON\n`
    const { code, output, errors } = await runInProcess(['users:import', '-'], onItsStores(), lines)
    expect(errors).toMatch(/^Line 2 .+\nFix the faulty lines and run it again\n$/)
    expect(output).toBe('2 lines: 1 user added, 0 already here, 1 line at fault\n')
    expect(code).toBe(1)
  })

  slow('user:disable locks a user out and user:enable lets them in again', async () => {
    const owner = await anOwner(app)
    const { sessionId } = await signIn(app, owner, 'main')
    expect((await mainstay('user:disable', owner.email)).output).toMatch(/is disabled; 1 session ended\n$/)
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(await login(owner.email)).toBe('401 INVALID_CREDENTIALS')
    expect(await mainstay('user:enable', owner.email)).toMatchObject({ code: 0 })
    expect(await login(owner.email)).toBe('200')
  })

  describe('factors:reset', () => {
    async function anEnrolledOwner() {
      const owner = await anOwner(app)
      const session = await signIn(app, owner, 'main')
      await giveTotp(app, owner)
      return { owner, session }
    }

    async function stepsOf(userId: string) {
      return (await app.auditRows({ userId, action: 'factors.reset' })).map(({ detail }) => [
        detail.step,
        detail.reason ?? null,
      ])
    }

    slow('requests what the console does: after 24 hours the service removes them', async () => {
      const { owner, session } = await anEnrolledOwner()
      expect((await mainstay('factors:status', owner.email)).output).toMatch(/^authenticator app: since /)
      const { code, output } = await mainstay('factors:reset', owner.email, '--reason', 'called us')
      expect(code).toBe(0)
      const resetAt = /second factors at (\S+)\.$/m.exec(output)?.[1] as string
      expect(Date.parse(resetAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
      expect((await mainstay('factors:reset', owner.email)).output).toContain(resetAt)
      expect((await mainstay('factors:status', owner.email)).output).toContain(resetAt)
      expect(outcome(await refreshByCookie(app, session.sessionId))).toBe('200')
      await app.database.run(db =>
        db
          .update(factorResets)
          // Commands have the real time.
          .set({ resetAt: app.clock.now() })
          .where(eq(factorResets.userId, owner.id)),
      )
      expect(await app.get(FactorResetJob).run()).toBe(1)
      expect(outcome(await refreshByCookie(app, session.sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(await login(owner.email)).toBe('200')
      expect(await stepsOf(owner.id)).toEqual([
        ['asked', 'called us'],
        ['asked', null],
        ['done', null],
      ])
    })

    slow('says that the user has been told when the mail server has taken the mail', async () => {
      const { owner } = await anEnrolledOwner()
      let attempts = 0
      app.outbox.accepts = () => attempts++ > 0
      // Greylisting.
      app.outbox.refusalCode = 451
      try {
        const { code, output } = await mainstay('factors:reset', owner.email)
        expect([code, output]).toEqual([0, expect.stringContaining(`${owner.email} has been told by mail`)])
      } finally {
        app.outbox.accepts = () => true
        app.outbox.refusalCode = 550
      }
      expect(app.outbox.mails.filter(({ to }) => to === owner.email)).toHaveLength(1)
    })

    slowOnServers(
      'fails when the mail server refuses the mail, and says when the reset happens all the same',
      async () => {
        const { owner } = await anEnrolledOwner()
        app.outbox.accepts = () => false
        try {
          const { code, output, errors } = await mainstay('factors:reset', owner.email)
          expect([code, errors]).toEqual([
            1,
            expect.stringMatching(/^It is done, but mails could not be sent: 1\. .*mail:resend/),
          ])
          expect(output).toMatch(/second factors at \S+\.\n$/)
        } finally {
          app.outbox.accepts = () => true
        }
      },
    )

    slow('--cancel stops it, once', async () => {
      const { owner } = await anEnrolledOwner()
      expect(await mainstay('factors:reset', owner.email)).toMatchObject({ code: 0 })
      const cancel = () => mainstay('factors:reset', owner.email, '--cancel', '--reason', 'a stranger')
      expect(await cancel()).toMatchObject({ code: 0 })
      expect(await cancel()).toMatchObject({ code: 1, errors: `No reset is pending for ${owner.email}\n` })
      expect((await mainstay('factors:status', owner.email)).output).not.toContain('going to be removed')
      expect(await stepsOf(owner.id)).toEqual([
        ['asked', null],
        ['stopped', 'a stranger'],
      ])
    })

    slowOnServers('is not for somebody without a second factor', async () => {
      const { email } = await anOwner(app)
      const errors = `${email} has no second factor, or was disabled by their account\n`
      expect(await mainstay('factors:reset', email)).toMatchObject({ code: 1, errors })
    })
  })

  it('an unknown command, a missing option and no command at all say what there is, and fail', async () => {
    expect(await mainstay('session:lst')).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringContaining("unknown command 'session:lst'"),
    })
    expect(await mainstay()).toMatchObject({ code: 1, errors: expect.stringContaining('billing:status') })
    expect(await mainstay('--help')).toMatchObject({
      code: 0,
      output: expect.stringContaining('session:revoke'),
    })
  })

  /** The first word of every line but the last, which counts them. */
  function sidsIn({ output }: Ended): string[] {
    const lines = output.trim().split('\n')
    expect(lines.pop()).toBe(pluralize(lines.length, 'session'))
    return lines.map(line => line.split(' ')[0] as string).sort()
  }

  async function login(email: string, password = PASSWORD): Promise<string> {
    return outcome(await sendLogin(app, { email }, { password }))
  }

  async function permissionsAfterRefresh(sessionId: string): Promise<unknown> {
    const { json } = await refreshByCookie(app, sessionId)
    return (await readData(app, json.accessToken)).json.permissions
  }
})

slow('a service that is given a misspelt setting warns when it starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-misspelt-'))
  try {
    const { output } = await run('dist/joined/main.js', [], {
      NODE_ENV: 'test',
      DATA_DIR: folder,
      LOG_LEVEL: 'warn',
      TRANSFER_WIAT_SECONDS: '43200',
      // Ends it soon.
      GEOIP_FILE: join(folder, 'missing.mmdb'),
    })
    const warnings = output.split('\n').filter(line => line.includes('TRANSFER_WIAT'))
    expect(warnings.map(line => JSON.parse(line))).toMatchObject([
      { level: 40, msg: 'TRANSFER_WIAT_SECONDS is not a setting: TRANSFER_WAIT_SECONDS may have been meant' },
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

slow('the development server refuses to run in production', async () => {
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
      SECRETS_KEYS_FILE: join(folder, 'secrets-keys.json'),
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

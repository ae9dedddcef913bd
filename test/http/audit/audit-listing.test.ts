import { createHash } from 'node:crypto'
import { request as startRequest } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  AUDIT_ACTIONS,
  type AuditEvent,
  AuditLog,
  permissionsOf,
  type User,
  UserAdministration,
  Users,
} from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { ocsfFaults } from '../../support/ocsf/ocsf-faults.js'
import { aMember, anEmail, anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'
import { team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

function memberOf({ id, accountId }: User) {
  return { userId: id, accountId }
}

const NOBODY = '00000000-0000-4000-8000-000000000000'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('The audit log of an account', () => {
  const app = anApp()

  function read(who: SignedIn, query = '', path = '/api/audit'): Promise<TestResponse> {
    return onMainSite(app, who, 'GET', `${path}${query}`)
  }

  async function entries(who: SignedIn, query = '') {
    const { status, json, text } = await read(who, query)
    if (status !== 200) throw new Error(`${status} ${text}`)
    return json.entries as Record<string, unknown>[]
  }

  function exported(who: SignedIn, query = ''): Promise<TestResponse> {
    return read(who, query, '/api/audit/export')
  }

  function record(events: Partial<AuditEvent>[]): Promise<void> {
    return app.database.transaction(async db => {
      for (const event of events)
        await app.get(AuditLog).record(db, { action: 'user.create', outcome: 'ok', client: null, ...event })
    })
  }

  /** So many rows, numbered in `detail`. */
  function recordMany({ accountId, id }: User, count: number): Promise<void> {
    const isOwn = { accountId, userId: id }
    return record(Array.from({ length: count }, (_, number) => ({ ...isOwn, detail: { number } })))
  }

  async function failToLogIn(email: string): Promise<void> {
    await sendLogin(
      app,
      { email },
      { source: 'satellite', password: 'wrong', Origin: [], 'User-Agent': FIREFOX },
    )
    await app.get(AuditLog).flush()
  }

  describe('who may read it', () => {
    const PATHS = ['/api/audit', '/api/audit/export']

    it.each(PATHS)('%s: an owner on the main site', async path => {
      expect(await read(await signIn(app, await anOwner(app), 'main'), '', path)).toMatchObject({
        status: 200,
      })
    })

    it.each(PATHS)('%s: no member without accountSettings, and a member with it', async path => {
      const member = await aMember(app, await anOwner(app))
      const without = await signIn(app, member, 'main')
      expect(outcome(await read(without, '', path))).toBe('403 PERMISSION_REQUIRED')
      await app.get(UserAdministration).grant(member, permissionsOf(['accountSettings']))
      expect(outcome(await read(await signIn(app, member, 'main'), '', path))).toBe('200')
    })

    it.each(PATHS)('%s: nobody from a satellite, nor with the cookie of another session', async path => {
      const owner = await anOwner(app)
      const satellite = await signIn(app, owner, 'satellite')
      const main = await signIn(app, owner, 'main')
      const other = await signIn(app, owner, 'main')
      expect(outcome(await read(satellite, '', path))).toBe('403 MAIN_SOURCE_REQUIRED')
      expect(outcome(await read({ ...main, sessionId: other.sessionId }, '', path))).toBe(
        '403 SESSION_MISMATCH',
      )
      const headers = { Origin: MAIN, ...bearer(main.accessToken) }
      expect(outcome(await app.request({ path, headers }))).toBe('403 SESSION_COOKIE_REQUIRED')
    })

    it.each(PATHS)(
      '%s: nobody whose permission was taken away, though the token still says so',
      async path => {
        const owner = await anOwner(app)
        const signedIn = await signIn(app, owner, 'main')
        await app.get(UserAdministration).grant(owner, permissionsOf(['payments']))
        expect(outcome(await read(signedIn, '', path))).toBe('403 PERMISSION_REQUIRED')
      },
    )
  })

  it('shows who did what, from where, newest first', async () => {
    const owner = await anOwner(app)
    await failToLogIn(owner.email)
    const signedIn = await signIn(app, owner, 'main')
    const list = await entries(signedIn)
    expect(list.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'login ok',
      'login failed',
      'account.create ok',
    ])
    expect(list[0]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      action: 'login',
      outcome: 'ok',
      userId: owner.id,
      email: owner.email,
      sid: claimsOf(signedIn.accessToken).sid,
      ip: '127.0.0.1',
      place: null,
      userAgent: null,
      device: 'Unknown device',
      origin: MAIN,
      requestId: signedIn.answer.headers['x-request-id'],
      detail: expect.objectContaining({ source: 'main' }),
    })
    expect(list[1]).toMatchObject({ device: 'Firefox on Linux' })
    expect(list[2]).toMatchObject({ ip: null, device: null })
  })

  it('shows nothing of another account, nor what strangers typed', async () => {
    const stranger = anEmail()
    await failToLogIn(stranger)
    const other = await anOwner(app)
    await failToLogIn(other.email)
    const signedIn = await signIn(app, await anOwner(app), 'main')
    for (const answer of [await read(signedIn, '?limit=200'), await exported(signedIn)]) {
      expect(answer.text).toContain('account.create')
      for (const secret of [stranger, other.email, other.id]) expect(answer.text).not.toContain(secret)
    }
    expect(await entries(signedIn, `?user=${other.id}`)).toEqual([])
  })

  it('does not name a user who is in another account now', async () => {
    const owner = await anOwner(app)
    const mover = await aMember(app, owner)
    const elsewhere = await anOwner(app)
    await app.query(sql`update users set account_id = ${elsewhere.accountId} where id = ${mover.id}`)
    const signedIn = await signIn(app, owner, 'main')
    const [created] = await entries(signedIn, '?action=user.create')
    expect(created).toMatchObject({ userId: mover.id, email: null })
    expect((await exported(signedIn)).text).not.toContain(mover.email)
  })

  it('pages 8: names who did it and whom it concerns, also when they were removed since', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const gone = await signIn(app, member, 'main')
    const signedIn = await provenSession(app, owner)
    expect((await team(app, signedIn, 'DELETE', `/${member.id}`)).status).toBe(204)
    const { json } = await read(signedIn)
    expect(json.people).toEqual({ [owner.id]: owner.email, [member.id]: member.email })
    const about = json.entries.filter(({ userId }: { userId: string }) => userId === member.id)
    expect(about[0]).toMatchObject({ action: 'user.remove', email: member.email, detail: { by: owner.id } })
    expect(about).toContainEqual(
      expect.objectContaining({ action: 'login', email: member.email, sid: claimsOf(gone.accessToken).sid }),
    )
    const other = await signIn(app, await anOwner(app), 'main')
    expect((await read(other)).text).not.toContain(member.email)
  })

  it('gives the names of those who have one', async () => {
    const owner = await anOwner(app)
    await aMember(app, owner)
    const signedIn = await signIn(app, owner, 'main')
    expect((await read(signedIn)).json.names).toEqual({})
    await app.database.transaction(transaction => app.get(Users).setName(transaction, owner.id, 'Rosa Luna'))
    expect((await read(signedIn)).json.names).toEqual({ [owner.id]: 'Rosa Luna' })
  })

  describe('filters', () => {
    slow('by user, action and outcome, alone and together', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await failToLogIn(member.email)
      const signedIn = await signIn(app, owner, 'main')
      const found = async (query: string) =>
        (await entries(signedIn, query)).map(({ action, outcome }) => `${action} ${outcome}`)
      expect(await found(`?user=${member.id}`)).toEqual(['login failed', 'user.create ok'])
      expect(await found('?action=login')).toEqual(['login ok', 'login failed'])
      expect(await found('?outcome=failed')).toEqual(['login failed'])
      expect(await found(`?user=${owner.id}&action=login&outcome=failed`)).toEqual([])
      expect(await found(`?user=${NOBODY}`)).toEqual([])
      for (const action of AUDIT_ACTIONS)
        expect(outcome(await read(signedIn, `?action=${action}`))).toBe('200')
    })

    it('by a part of the name or address: of whom they concern, of who did it, and of who is gone', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await app.database.transaction(transaction =>
        app.get(Users).setName(transaction, member.id, 'Rosa Ångström'),
      )
      const stranger = await aMember(app, await anOwner(app))
      const gone = anEmail()
      const own = { accountId: owner.accountId }
      await record([
        { ...own, userId: owner.id, action: 'user.enable', detail: { by: member.id } },
        { ...own, userId: owner.id, action: 'user.disable', detail: { by: 'nobody' } },
        { ...own, userId: NOBODY, action: 'user.remove', detail: { email: gone } },
        { ...own, userId: NOBODY, action: 'permissions.change', detail: { by: stranger.id } },
      ])
      const signedIn = await signIn(app, owner, 'main')
      const found = async (q: string) =>
        (await entries(signedIn, `?q=${encodeURIComponent(q)}`)).map(({ action }) => action)
      for (const q of ['rosa', ' SA ÅNG', member.email.toUpperCase()])
        expect([q, await found(q)]).toEqual([q, ['user.enable', 'user.create']])
      expect(await found(owner.email)).toEqual(['login', 'user.disable', 'user.enable', 'account.create'])
      expect(await found(gone.toUpperCase())).toEqual(['user.remove'])
      for (const q of [stranger.email, '%', '.*', "' or true --"])
        expect([q, await found(q)]).toEqual([q, []])
      const answer = await exported(signedIn, '?q=rosa')
      expect(answer.text.match(/"action":"[^"]+"/g)).toEqual([
        '"action":"user.create"',
        '"action":"user.enable"',
      ])
      expect((await entries(signedIn, '?action=audit.export'))[0]?.detail).toEqual({ q: 'rosa' })
    })

    it('by time: from it on, and before it', async () => {
      const owner = await anOwner(app)
      await recordMany(owner, 3)
      const signedIn = await signIn(app, owner, 'main')
      const all = await entries(signedIn)
      const time = all[1]?.at as string
      const later = all.filter(({ at }) => (at as string) >= time)
      expect(await entries(signedIn, `?from=${time}`)).toEqual(later)
      expect(await entries(signedIn, `?to=${time}`)).toEqual(all.slice(later.length))
      const east = new Date(new Date(time).getTime() + 3_600_000).toISOString().replace('Z', '%2B01:00')
      expect(await entries(signedIn, `?from=${east}`)).toEqual(later)
      expect(await entries(signedIn, `?from=${time}&to=${time}`)).toEqual([])
    })

    it('are refused where one is wrong, which the refusal names, of a page and of an export', async () => {
      const signedIn = await signIn(app, await anOwner(app), 'main')
      const ofBoth = [
        ...['1', '%00', '', `${NOBODY}&user=${NOBODY}`].map(user => ['user', user]),
        ...['nothing', '', 'login&action=logout'].map(action => ['action', action]),
        ['outcome', 'OK'],
        ...['', '%20', '%00', 'a%0Ab', 'x'.repeat(101), 'a&q=b'].map(q => ['q', q]),
        ...['2026-11-21T10:00:00', '2026-13-01T10:00:00Z', '0000-01-01T00:00:00Z'].map(at => ['from', at]),
        ...['2026-11-21T10:00:00%2B99:00', '1'].map(at => ['to', at]),
        ['accountId', NOBODY],
      ]
      const ofPages = [
        ...['0', '201', '1.5', '%201', '', '1&limit=2'].map(limit => ['limit', limit]),
        ...['', '1', 'MQ=', 'LTE', '%00', 'MTIzNDU2Nzg5MDEyMzQ1Ng', 'MQ&after=MQ'].map(id => ['after', id]),
        ['format', 'ocsf'],
      ]
      const ofExports = [
        ['limit', '1'],
        ['format', 'csv'],
        ['after', 'MQ'],
      ]
      const wrong = [
        ...[...ofBoth, ...ofPages].map(query => ['/api/audit', ...query]),
        ...[...ofBoth, ...ofExports].map(query => ['/api/audit/export', ...query]),
      ]
      const refusals: unknown[] = []
      for (const [path, field, value] of wrong) {
        const answer = await read(signedIn, `?${field}=${value}`, path)
        const fields = answer.json?.errors?.map((error: { field: string }) => error.field)
        refusals.push([path, field, value, outcome(answer), fields])
      }
      expect(refusals).toEqual(wrong.map(asked => [...asked, '400 INVALID_QUERY', [asked[1]]]))
    })
  })

  describe('pages', () => {
    it('have 50 entries, or as many as asked for up to 200', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      await recordMany(owner, 210)
      expect(await entries(signedIn)).toHaveLength(50)
      expect(await entries(signedIn, '?limit=1')).toHaveLength(1)
      expect(await entries(signedIn, '?limit=200')).toHaveLength(200)
    })

    it('together show each row once, though rows are written meanwhile', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      await recordMany(owner, 25)
      const whole = await entries(signedIn, '?limit=200')
      const seen: unknown[] = []
      let next: string | null = ''
      while (next !== null) {
        const { json } = await read(signedIn, `?limit=5${next && `&after=${next}`}`)
        seen.push(...json.entries)
        next = json.next
        await recordMany(owner, 2)
      }
      expect(seen).toEqual(whole)
    })

    it('end with null, also when the last one is full', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      expect((await read(signedIn, '?limit=2')).json.next).toBeNull()
      expect((await read(signedIn, '?limit=1')).json.next).toEqual(expect.any(String))
    })

    it('with a cursor of another account show only own rows', async () => {
      const { json } = await read(await signIn(app, await anOwner(app), 'main'), '?limit=1')
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      expect(await entries(signedIn, `?after=${json.next}`)).toEqual([])
    })
  })

  describe('the export', () => {
    interface Line {
      row: Record<string, unknown>
      email: string | null
      seal: { position: number; previous: string; hash: string }
    }
    const linesOf = ({ text }: TestResponse): Line[] =>
      text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))

    slow('is a file of JSON lines, oldest first, of more than one page, itself the last', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      await recordMany(owner, 1_200)
      const answer = await exported(signedIn)
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-log.jsonl"',
        'cache-control': 'no-store',
        'transfer-encoding': 'chunked',
      })
      const rows = linesOf(answer).map(({ row }) => row)
      const numbers = rows.flatMap(({ detail }) => (detail as { number?: number }).number ?? [])
      expect(numbers).toEqual(Array.from({ length: 1_200 }, (_, number) => number))
      expect(rows.at(0)).toMatchObject({ action: 'account.create' })
      expect(rows.at(-1)).toMatchObject({
        action: 'audit.export',
        outcome: 'ok',
        userId: owner.id,
        requestId: answer.headers['x-request-id'],
      })
    })

    it('has the seal of every row, which anybody can check', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      await record([
        { accountId: owner.accountId, detail: { b: [1, { d: 'ü "\\', c: null }], a: 1.5, ä: true } },
      ])
      const lines = linesOf(await exported(signedIn))
      for (const { row, seal } of lines) {
        expect(sha256(seal.previous + sorted(row))).toBe(seal.hash)
        expect(Object.keys(row)).toEqual(expect.arrayContaining(['id', 'at', 'action', 'outcome', 'detail']))
      }
      expect(lines.map(({ seal }) => seal.position)).toEqual(
        [...lines.map(({ seal }) => seal.position)].sort((a, b) => a - b),
      )
      expect(lines.at(-1)).toMatchObject({ email: owner.email })
    })

    it('takes the filters, and says which in its own row', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const signedIn = await signIn(app, owner, 'main')
      const query = `?user=${member.id}&action=user.create&outcome=ok&from=2020-01-01T00:00:00Z`
      const lines = linesOf(await exported(signedIn, query))
      expect(lines).toMatchObject([
        { row: { action: 'user.create', userId: member.id }, email: member.email },
      ])
      expect((await exported(signedIn, `?user=${NOBODY}`)).text).toBe('')
      const [, first] = await entries(signedIn, '?action=audit.export')
      expect(first?.detail).toEqual({
        user: member.id,
        action: 'user.create',
        outcome: 'ok',
        from: '2020-01-01T00:00:00.000Z',
      })
    })

    slow('gives events of OCSF: every action is one that its schema takes, with its seal', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      const own = { accountId: owner.accountId, userId: owner.id }
      const client = { requestId: 'r', ip: '2001:db8::1', userAgent: FIREFOX, origin: MAIN }
      const details = [
        {},
        { by: NOBODY, reason: 'no reason', granted: permissionsOf(['payments']), satellites: [SHOP_ONE] },
        {
          email: anEmail(),
          granted: null,
          satellites: null,
          methods: ['pwd', 'otp'],
          reasons: ['new device'],
        },
        {
          granted: permissionsOf([]),
          satellites: [],
          satellite: NOBODY,
          methods: ['pwd'],
          subject: 'A mail',
        },
      ]
      await record(
        AUDIT_ACTIONS.flatMap(action =>
          details.flatMap(detail => [
            { ...own, action, detail, client, sid: 'a session' },
            { accountId: owner.accountId, action, detail, outcome: 'refused' as const },
          ]),
        ),
      )
      const lines = linesOf(await exported(signedIn))
      const answer = await exported(signedIn, '?format=ocsf')
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-log.ocsf.jsonl"',
      })
      const events = answer.text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(events.flatMap(ocsfFaults)).toEqual([])
      expect(new Set(events.map(({ metadata }) => metadata.event_code))).toEqual(new Set(AUDIT_ACTIONS))
      // All that the lines of our own say, and the seal covers it.
      expect(events.slice(0, -1).map(({ raw_data }) => JSON.parse(raw_data))).toEqual(
        lines.map(({ row }) => row),
      )
      for (const { raw_data, unmapped } of events)
        expect(sha256(unmapped.seal.previous + raw_data)).toBe(unmapped.seal.hash)
      expect((await entries(signedIn, '?action=audit.export'))[0]?.detail).toEqual({ format: 'ocsf' })
    })

    it('says in events of OCSF who did what to whom, from where', async () => {
      const owner = await anOwner(app)
      await failToLogIn(owner.email)
      const signedIn = await signIn(app, owner, 'main')
      const member = await aMember(app, owner)
      await record([
        {
          ...memberOf(member),
          action: 'permissions.change',
          detail: { by: owner.id, granted: { payments: true } },
        },
        {
          ...memberOf(member),
          action: 'permissions.change',
          detail: { by: owner.id, granted: { payments: false } },
        },
        {
          ...memberOf(member),
          action: 'permissions.change',
          detail: { reason: 'not granted' },
          outcome: 'refused' as const,
        },
        { ...memberOf(member), action: 'handoff.replay' },
      ])
      const { text } = await exported(signedIn, '?format=ocsf')
      const events = text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      const find = (code: string, activity?: string) =>
        events.find(
          ({ metadata, activity_name: name }) =>
            metadata.event_code === code && (activity === undefined || name === activity),
        )
      const logins = events.filter(({ metadata }) => metadata.event_code === 'login')
      expect(logins).toMatchObject([
        { class_uid: 3002, type_uid: 300201, status: 'Failure', user: { uid: owner.id } },
        {
          type_uid: 300201,
          status: 'Success',
          is_mfa: false,
          user: { uid: owner.id, email_addr: owner.email, org: { uid: owner.accountId } },
          actor: { user: { uid: owner.id } },
          src_endpoint: { ip: '127.0.0.1' },
          metadata: { tenant_uid: owner.accountId },
        },
      ])
      expect(logins[0].http_request.user_agent).toContain('Firefox')
      expect(find('permissions.change', 'Assign Privileges')).toMatchObject({
        type_uid: 300501,
        privileges: ['payments'],
        user: { uid: member.id },
        actor: { user: { uid: owner.id } },
      })
      expect(find('permissions.change', 'Revoke Privileges')).toMatchObject({
        privileges: [],
        status: 'Success',
      })
      expect(
        events.filter(
          ({ metadata, status }) => metadata.event_code === 'permissions.change' && status === 'Failure',
        ),
      ).toMatchObject([{ activity_name: 'Assign Privileges' }])
      expect(find('handoff.replay')).toMatchObject({ class_uid: 2004, status: 'New', severity: 'High' })
    })

    slow(
      'answers an immediate failure with an error, and breaks off the transfer at a later one',
      async () => {
        const owner = await anOwner(app)
        const signedIn = await signIn(app, owner, 'main')
        await recordMany(owner, 1_200)
        const database = app.database
        const report = database.report.bind(database)
        const failAfterPages = (count: number) => {
          let pages = 0
          database.report = async (work, options) => {
            const answer = await report(work, options)
            if (++pages > count) throw new Error('the database is gone')
            return answer
          }
        }
        try {
          failAfterPages(0)
          expect(outcome(await exported(signedIn))).toBe('500 INTERNAL_ERROR')
          failAfterPages(1)
          await expect(exported(signedIn)).rejects.toMatchObject({ code: 'ECONNRESET' })
        } finally {
          database.report = report
        }
        expect(linesOf(await exported(signedIn)).length).toBeGreaterThan(1_200)
      },
    )

    slow('reads no further ahead than its reader', async () => {
      const owner = await anOwner(app)
      const signedIn = await signIn(app, owner, 'main')
      await app.query(sql`
          insert into audit_log (at, action, outcome, account_id, detail)
          select now(), 'user.create', 'ok', ${owner.accountId}, json_build_object('filling', repeat('x', 10000))
          from generate_series(1, 3500)`)
      let pages = 0
      const database = app.database
      const run = database.run.bind(database)
      database.run = async work => {
        const answer: unknown = await run(work as never)
        if (Array.isArray(answer) && answer[0]?.row) pages += 1
        return answer as never
      }
      try {
        const response = await unread(signedIn)
        await new Promise(resolve => setTimeout(resolve, 1_000))
        expect(pages).toBeLessThan(5)
        let bytes = 0
        for await (const chunk of response) bytes += (chunk as Buffer).length
        expect(bytes).toBeGreaterThan(35_000_000)
      } finally {
        database.run = run
      }
    })

    function unread(who: SignedIn) {
      return new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
        const headers = { Origin: MAIN, ...bearer(who.accessToken), ...cookie(who.sessionId) }
        startRequest(`${app.url}/api/audit/export`, { headers, agent: false }, resolve)
          .once('error', reject)
          .end()
      })
    }
  })
})

/** Written anew, as a stranger would from the documentation. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(
          Object.keys(part)
            .sort()
            .map(name => [name, part[name]]),
        )
      : part,
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

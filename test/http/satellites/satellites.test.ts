import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  holdersElsewhere,
  type RegisteredSatellite,
  rowsOf,
  SatelliteRegistry,
  SatelliteVerification,
  satellites,
} from '../../sources.js'
import { aDnsServer } from '../../support/dns-server.js'
import { eventually } from '../../support/eventually.js'
import { sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome, refreshByHeader } from '../support/api-calls.js'
import { provenSession, reauthenticate, staleSession } from '../support/reauthenticate.js'
import {
  addSatellite,
  aLandlord,
  aName,
  anActiveSatellite,
  anOrigin,
  type Landlord,
  publish,
  satellitesOf,
  stored,
} from '../support/satellite-calls.js'
import { aMemberWith } from '../support/team-calls.js'

const SEVEN_DAYS = 7 * 24 * 60 * 60
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

describe('The satellites of an account', () => {
  const dns = aDnsServer()
  const app = anApp(() => ({
    DNS_SERVERS: dns.address,
    MAX_SATELLITES_PER_ACCOUNT: '25',
  }))

  const call = ({ session }: Landlord, method = 'GET', path = '', body?: object) =>
    satellitesOf(app, session, method, path, body)

  /** Whether pages of this origin may use the API. */
  async function isOpen(origin: string): Promise<boolean> {
    const { status } = await app.request({ path: '/api/data', headers: { Origin: origin } })
    expect([401, 403]).toContain(status)
    return status === 401
  }

  describe('added', () => {
    it('wait for a proof, and until then their pages are refused', async () => {
      const landlord = await aLandlord(app)
      const origin = anOrigin()
      const { status, json } = await call(landlord, 'POST', '', { origin, name: 'Rose & Sons' })
      expect(status).toBe(201)
      const host = new URL(origin).host
      const value = expect.stringMatching(/^token=[\w-]{43} expiry=never$/)
      expect(json).toEqual({
        id: expect.any(String),
        origin,
        name: 'Rose & Sons',
        kind: 'production',
        state: 'pending',
        suspendedBy: null,
        ceiling: { dataEntry: true, viewReports: true },
        loginMode: 'both',
        secondFactor: 'handoff',
        sessionSeconds: null,
        idleSeconds: null,
        branding: null,
        createdAt: expect.any(String),
        proof: {
          dns: { name: `_mainstay-challenge.${host}`, value },
          file: { url: `${origin}/.well-known/mainstay-challenge.txt`, content: value },
          expiresAt: expect.any(String),
          provenAt: null,
          method: null,
          failingSince: null,
          suspendAt: null,
        },
      })
      expect(json.proof.file.content).toBe(json.proof.dns.value)
      const seconds = (Date.parse(json.proof.expiresAt) - app.clock.now().getTime()) / 1000
      expect(Math.abs(seconds - SEVEN_DAYS)).toBeLessThan(30)
      expect((await call(landlord)).json).toEqual({ satellites: [json] })
      expect((await call(landlord, 'GET', `/${json.id}`)).json).toEqual(json)
      expect(await isOpen(origin)).toBe(false)
    })

    slow('are 20 at most while they are not proven', async () => {
      const landlord = await aLandlord(app)
      for (let added = 0; added < 20; added++) await addSatellite(app, landlord)
      const [first] = (await call(landlord)).json.satellites
      const oneMore = () => call(landlord, 'POST', '', { origin: anOrigin(), name: 'One more' })
      expect(outcome(await oneMore())).toBe('409 TOO_MANY_SATELLITES')
      publish(dns, first)
      expect(outcome(await call(landlord, 'POST', `/${first.id}/verify`))).toBe('200')
      expect(outcome(await oneMore())).toBe('201')
      expect(outcome(await oneMore())).toBe('409 TOO_MANY_SATELLITES')
    })

    it('are as many as the settings say at most, suspended ones included', async () => {
      const landlord = await aLandlord(app)
      const { accountId } = landlord.owner
      const added = await stored(app, (await addSatellite(app, landlord)).id)
      if (!added) throw new Error('it was added')
      const { proof: _, ...row } = added
      const suspended = Array.from({ length: 23 }, () => ({
        ...row,
        id: randomUUID(),
        origin: anOrigin(),
        state: 'suspended' as const,
      }))
      await app.database.run(db => db.insert(satellites).values(suspended))
      const oneMore = () => call(landlord, 'POST', '', { origin: anOrigin(), name: 'One more' })
      expect(outcome(await oneMore())).toBe('201')
      const refused = await oneMore()
      expect([outcome(refused), refused.json.detail]).toEqual([
        '409 TOO_MANY_SATELLITES',
        'An account may have 25 satellites',
      ])
      const wanted = { origin: anOrigin(), name: 'By an operator', kind: 'production' } as const
      await app.get(SatelliteRegistry).insert({ accountId, client: null }, wanted)
    })

    it('twice are taken', async () => {
      const landlord = await aLandlord(app)
      const { origin } = await addSatellite(app, landlord)
      expect(outcome(await call(landlord, 'POST', '', { origin, name: 'Again' }))).toBe('409 ORIGIN_TAKEN')
    })

    it.each([
      ['a name that is not one', { name: ' x' }, 'name'],
      ['another kind', { kind: 'staging' }, 'kind'],
      ['too long an origin', { origin: `https://${'a.'.repeat(200)}example.net` }, 'origin'],
      ['a field too many', { state: 'active' }, 'state'],
    ])('with %s are refused', async (_, wrong, field) => {
      const landlord = await aSharedLandlord()
      const { status, json } = await call(landlord, 'POST', '', {
        origin: anOrigin(),
        name: 'Shop',
        ...wrong,
      })
      expect([status, json.code, json.errors.map((error: { field: string }) => error.field)]).toEqual([
        400,
        'INVALID_BODY',
        [field],
      ])
    })
  })

  describe('proven by a record', () => {
    slow('are active at once, for their own account alone', async () => {
      const landlord = await aLandlord(app)
      const stranger = await aLandlord(app)
      const origin = anOrigin()
      const active = await anActiveSatellite(app, dns, landlord, origin)
      expect(active).toMatchObject({ state: 'active', proof: { provenAt: expect.any(String) } })
      await eventually(() => isOpen(origin))
      const session = await signIn(app, landlord.owner, 'satellite', origin)
      expect(session.answer.headers['access-control-allow-origin']).toBe(origin)
      const refused = await sendLogin(app, stranger.owner, { source: 'satellite', Origin: origin })
      expect(outcome(refused)).toBe('401 INVALID_CREDENTIALS')
    })

    it('stay pending otherwise, and the refusal says what was looked up and what came back', async () => {
      const landlord = await aLandlord(app)
      const added = await addSatellite(app, landlord)
      const { name } = added.proof.dns
      const verify = async () => {
        const answer = await call(landlord, 'POST', `/${added.id}/verify`)
        expect(outcome(answer)).toBe('409 PROOF_NOT_FOUND')
        return answer.json.errors
      }
      const file = `${added.origin}/.well-known/mainstay-challenge.txt`
      const record = `TXT ${name}`
      const noHost = {
        field: 'proof',
        code: 'PROOF_NO_ADDRESS',
        values: { question: file },
        message: `${file}: the host has no public address`,
      }
      expect(await verify()).toEqual([
        {
          field: 'proof',
          code: 'PROOF_NO_NAME',
          values: { question: record },
          message: `${record}: there is no such name`,
        },
        noHost,
      ])
      dns.zones.set(name, { txt: [`token=${'x'.repeat(43)} expiry=never`] })
      expect(await verify()).toEqual([
        {
          field: 'proof',
          code: 'PROOF_OTHER_TEXTS',
          values: { question: record, texts: `"token=${'x'.repeat(43)} expiry=never"` },
          message: `${record}: found "token=${'x'.repeat(43)} expiry=never", not the token`,
        },
        noHost,
      ])
      expect((await call(landlord, 'GET', `/${added.id}`)).json.state).toBe('pending')
    })

    it('stay pending with the token of another origin or another account', async () => {
      const landlord = await aLandlord(app)
      const stranger = await aLandlord(app)
      const [one, other] = [await addSatellite(app, landlord), await addSatellite(app, landlord)]
      const theirs = await addSatellite(app, stranger, one.origin)
      expect(new Set([one, other, theirs].map(({ proof }) => proof.dns.value)).size).toBe(3)
      dns.zones.set(one.proof.dns.name, { txt: [other.proof.dns.value, theirs.proof.dns.value] })
      expect(outcome(await call(landlord, 'POST', `/${one.id}/verify`))).toBe('409 PROOF_NOT_FOUND')
    })

    it('are looked up ten times an hour for an account, whoever asks and whatever comes of it', async () => {
      const landlord = await aLandlord(app)
      const colleague = await aMemberWith(app, landlord.owner, 'accountSettings')
      const theirs = { owner: colleague, session: await signIn(app, colleague, 'main') }
      const added = await addSatellite(app, landlord)
      const before = dns.questions.length
      for (let checks = 0; checks < 10; checks++)
        expect(outcome(await call(checks % 2 ? theirs : landlord, 'POST', `/${added.id}/verify`))).toBe(
          '409 PROOF_NOT_FOUND',
        )
      const asked = dns.questions.length
      expect(asked).toBeGreaterThan(before)
      for (const path of ['verify', 'resume']) {
        const refused = await call(landlord, 'POST', `/${added.id}/${path}`)
        expect(outcome(refused)).toBe('429 TOO_MANY_ATTEMPTS')
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000)
      }
      expect(dns.questions).toHaveLength(asked)
      const unconcerned = await aLandlord(app)
      await anActiveSatellite(app, dns, unconcerned)
    })
  })

  describe('proven by a file', () => {
    let files: Server
    let answer: RequestListener
    beforeAll(async () => {
      files = createServer((request, response) => answer(request, response))
      await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
    })
    beforeEach(() => {
      answer = (_, response) => response.writeHead(404).end()
    })
    afterAll(() => {
      files.close()
    })

    it('are active, and not while there is a redirect', async () => {
      const landlord = await aLandlord(app)
      const host = `${aName()}.localhost`
      dns.zones.set(host, { a: ['127.0.0.1'] })
      const origin = `http://${host}:${(files.address() as AddressInfo).port}`
      const added = await addSatellite(app, landlord, origin)
      const { url, content } = added.proof.file
      const verify = () => call(landlord, 'POST', `/${added.id}/verify`)
      const messageOf = async () => (await verify()).json.errors[1].message
      expect(await messageOf()).toBe(`${url}: status 404`)
      answer = ({ url: path }, response) =>
        path === '/moved'
          ? response.end(content)
          : response.writeHead(302, { Location: `${origin}/moved` }).end()
      expect(await messageOf()).toBe(`${url}: a redirect (302)`)
      answer = (_, response) => response.end(`${content}${' '.repeat(1_024)}`)
      expect(await messageOf()).toBe(`${url}: more than 1 KiB`)
      answer = (_, response) => response.end(`another=1\n${content}\n`)
      expect((await verify()).json).toMatchObject({ state: 'active' })
      await eventually(() => isOpen(origin))
    })

    it('are never previews, whose hosts are many', async () => {
      const landlord = await aSharedLandlord()
      const added = await addSatellite(app, landlord, `https://*.${aName()}.example.net`, { kind: 'preview' })
      expect(added).toMatchObject({ kind: 'preview', sessionSeconds: 8 * 60 * 60, proof: { file: null } })
    })
  })

  describe('changed', () => {
    const branding = {
      name: 'Rose & Sons',
      logoUrl: 'https://cdn.example.net/rose.svg',
      accent: '#1d4ed8',
      background: '#f8fafc',
    }

    it('have what the body has, and keep the rest', async () => {
      const landlord = await aLandlord(app)
      const added = await addSatellite(app, landlord)
      const change = async (body: object) => {
        const { status, json } = await call(landlord, 'PATCH', `/${added.id}`, body)
        expect(status).toBe(200)
        return json
      }
      const all = {
        name: 'Rosa',
        ceiling: { dataEntry: false, viewReports: true },
        loginMode: 'handoff',
        secondFactor: 'allowed',
        sessionSeconds: 3_600,
        idleSeconds: 1_800,
        branding,
      }
      expect(await change(all)).toEqual({ ...added, ...all })
      expect(await change({})).toEqual({ ...added, ...all })
      expect(await change({ branding: null, sessionSeconds: null })).toEqual({
        ...added,
        ...all,
        branding: null,
        sessionSeconds: null,
      })
      expect((await call(landlord, 'GET', `/${added.id}`)).json).toMatchObject({ name: 'Rosa' })
    })

    it('need a re-authentication to let passwords be typed there that were not', async () => {
      const landlord = await aLandlord(app)
      const { id } = await addSatellite(app, landlord)
      const later = { ...landlord, session: await staleSession(app, landlord.owner) }
      const change = async (loginMode: string) =>
        outcome(await call(later, 'PATCH', `/${id}`, { name: 'Rosa', loginMode }))
      expect(await change('both')).toBe('200')
      expect(await change('handoff')).toBe('200')
      expect(await change('handoff')).toBe('200')
      for (const loginMode of ['both', 'password'])
        expect(await change(loginMode)).toBe('401 REAUTHENTICATION_REQUIRED')
      await reauthenticate(app, later.session)
      expect(await change('both')).toBe('200')
    })

    it.each([
      ['origin', { origin: 'https://other.example.net' }],
      ['state', { state: 'active' }],
      ['name', { name: null }],
      ['loginMode', { loginMode: 'none' }],
      ['secondFactor', { secondFactor: 'required' }],
      ['sessionSeconds', { sessionSeconds: 599 }],
      ['sessionSeconds', { sessionSeconds: 2_592_001 }],
      ['idleSeconds', { idleSeconds: 1_799 }],
      ['ceiling', { ceiling: null }],
      ['ceiling.payments', { ceiling: { dataEntry: true, viewReports: true, payments: true } }],
      ['branding.accent', { branding: { ...branding, accent: '#fff;background:url(x)' } }],
      ['branding.background', { branding: { ...branding, background: '#F8FAFC' } }],
      ['branding.name', { branding: { ...branding, name: 'a\nb' } }],
      ['branding.logoUrl', { branding: { ...branding, logoUrl: 'http://cdn.example.net/rose.svg' } }],
      ['branding.logoUrl', { branding: { ...branding, logoUrl: 'javascript:alert(1)' } }],
      ['branding.logoUrl', { branding: { ...branding, logoUrl: 'https://user:secret@cdn.example.net/x' } }],
      ['branding.logoUrl', { branding: { ...branding, logoUrl: 'https://cdn.example.net/\ud800' } }],
      ['branding.logoUrl', { branding: { ...branding, logoUrl: 'https://cdn.example.net\u037esandbox/x' } }],
    ])('not to a wrong %s: %j', async (field, body) => {
      const landlord = await aSharedLandlord()
      const [added = await addSatellite(app, landlord)] = (await call(landlord)).json.satellites
      const { status, json } = await call(landlord, 'PATCH', `/${added.id}`, body)
      expect([status, json.code]).toEqual([400, 'INVALID_BODY'])
      const errors: { field: string; code: string }[] = json.errors
      expect(errors.map(error => error.field)).toContain(field)
      if (field === 'branding.logoUrl') expect(errors[0]?.code).toBe('NOT_A_LOGO')
    })

    it.each([null, 8 * 60 * 60 + 1])('not to previews with sessions of %j seconds', async sessionSeconds => {
      const landlord = await aSharedLandlord()
      const added = await addSatellite(app, landlord, `https://*.${aName()}.example.net`, { kind: 'preview' })
      const { status, json } = await call(landlord, 'PATCH', `/${added.id}`, { sessionSeconds })
      expect([status, json.errors]).toEqual([
        400,
        [
          {
            field: 'sessionSeconds',
            code: 'SESSION_TOO_LONG',
            values: { max: 28_800 },
            message: 'sessionSeconds of a preview satellite must not be more than 28800',
          },
        ],
      ])
      expect(outcome(await call(landlord, 'PATCH', `/${added.id}`, { sessionSeconds: 600 }))).toBe('200')
    })
  })

  describe('suspended', () => {
    slow(
      'refuse their pages and sessions, nobody else’s, until they are resumed by their proof',
      async () => {
        const landlord = await aLandlord(app)
        const [origin, unconcerned] = [anOrigin(), anOrigin()]
        const { id, proof } = await anActiveSatellite(app, dns, landlord, origin)
        await anActiveSatellite(app, dns, landlord, unconcerned)
        await eventually(() => isOpen(unconcerned))
        const here = await signIn(app, landlord.owner, 'satellite', origin)
        const there = await signIn(app, landlord.owner, 'satellite', unconcerned)
        expect(outcome(await call(landlord, 'POST', `/${id}/suspend`))).toBe('204')
        expect((await call(landlord, 'GET', `/${id}`)).json).toMatchObject({
          state: 'suspended',
          suspendedBy: 'account',
        })
        await eventually(async () => !(await isOpen(origin)))
        expect((await refreshByHeader(app, here.sessionId, { Origin: origin })).status).toBe(403)
        expect(outcome(await refreshByHeader(app, here.sessionId, {}))).toMatch(/^401 /)
        expect(outcome(await refreshByHeader(app, there.sessionId, { Origin: unconcerned }))).toBe('200')
        expect(outcome(await call(landlord, 'POST', `/${id}/suspend`))).toBe('204')

        const record = dns.zones.get(proof.dns.name)
        dns.zones.delete(proof.dns.name)
        expect(outcome(await call(landlord, 'POST', `/${id}/resume`))).toBe('409 PROOF_NOT_FOUND')
        dns.zones.set(proof.dns.name, record as never)
        const resumed = await call(landlord, 'POST', `/${id}/resume`)
        expect(resumed.json).toMatchObject({ state: 'active', suspendedBy: null })
        await eventually(() => isOpen(origin))
      },
    )

    it('cannot be while they wait for a proof', async () => {
      const landlord = await aSharedLandlord()
      const { id } = await addSatellite(app, landlord)
      expect(outcome(await call(landlord, 'POST', `/${id}/suspend`))).toBe('409 SATELLITE_PENDING')
    })
  })

  slow('removed are gone, and their origin is anybody’s who can prove it', async () => {
    const landlord = await aLandlord(app)
    const origin = anOrigin()
    const { id } = await anActiveSatellite(app, dns, landlord, origin)
    await eventually(() => isOpen(origin))
    expect(outcome(await call(landlord, 'DELETE', `/${id}`))).toBe('204')
    await eventually(async () => !(await isOpen(origin)))
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/verify'],
    ])
      expect(outcome(await call(landlord, method, `/${id}${path}`))).toBe('404 NOT_FOUND')
    await anActiveSatellite(app, dns, await aLandlord(app), origin)
  })

  it('are in the audit log, each change with who made it', async () => {
    const landlord = await aLandlord(app)
    const { id, origin } = await anActiveSatellite(app, dns, landlord)
    await call(landlord, 'PATCH', `/${id}`, { name: 'Rosa' })
    await call(landlord, 'PATCH', `/${id}`, {})
    await call(landlord, 'POST', `/${id}/suspend`)
    await call(landlord, 'POST', `/${id}/resume`)
    await call(landlord, 'DELETE', `/${id}`)
    const { accountId, id: userId } = landlord.owner
    const rows = (await app.auditRows()).filter(
      row => row.accountId === accountId && /^satellite/.test(row.action),
    )
    const about = { satellite: id, origin }
    expect(rows).toEqual(
      [
        ['satellite.add', { ...about, kind: 'production' }],
        ['satellite.verify', { ...about, method: 'dns' }],
        ['satellite.change', { ...about, name: 'Rosa' }],
        ['satellite.suspend', { ...about, suspendedBy: 'account' }],
        ['satellite.verify', { ...about, method: 'dns' }],
        ['satellite.remove', about],
      ].map(([action, detail]) =>
        expect.objectContaining({ action, detail, userId, outcome: 'ok', origin: MAIN }),
      ),
    )
    for (const { detail } of rows) expect(JSON.stringify(detail)).not.toContain('token')
  })

  describe('are closed', () => {
    const HANDLERS = [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/:id'],
      ['PATCH', '/:id'],
      ['DELETE', '/:id'],
      ['POST', '/:id/verify'],
      ['POST', '/:id/suspend'],
      ['POST', '/:id/resume'],
    ] as const
    const answersTo = async (ask: (method: string, path: string) => Promise<string>, id = UNKNOWN_ID) => {
      const answers: string[] = []
      for (const [method, path] of HANDLERS) answers.push(await ask(method, path.replace(':id', id)))
      return new Set(answers)
    }
    const body = () => ({ origin: anOrigin(), name: 'Shop' })
    const bodyFor = (method: string) => (method === 'POST' || method === 'PATCH' ? body() : undefined)

    it('to members without the permission, and to everybody on a satellite', async () => {
      const { owner } = await aLandlord(app)
      const member = await aMemberWith(app, owner, 'teamManagement', 'payments', 'dataEntry')
      const session = await provenSession(app, member)
      const asMember = (method: string, path: string) =>
        satellitesOf(app, session, method, path, bodyFor(method)).then(outcome)
      expect(await answersTo(asMember)).toEqual(new Set(['403 PERMISSION_REQUIRED']))
      const { accessToken } = await signIn(app, owner, 'satellite')
      const headers = { Origin: 'https://shop-one.test', ...bearer(accessToken) }
      const onSatellite = (method: string, path: string) =>
        app.request({ method, path: `/api/satellites${path}`, headers }).then(outcome)
      expect(await answersTo(onSatellite)).toEqual(new Set(['403 SESSION_COOKIE_REQUIRED']))
    })

    it('without the session’s cookie', async () => {
      const { session } = await aLandlord(app)
      const headers = { Origin: MAIN, ...bearer(session.accessToken) }
      const ask = (method: string, path: string) =>
        app.request({ method, path: `/api/satellites${path}`, headers }).then(outcome)
      expect([...(await answersTo(ask))].every(answer => /^40[13] /.test(answer))).toBe(true)
    })

    it('for adding and removing without the password', async () => {
      const landlord = await aLandlord(app)
      const { id } = await addSatellite(app, landlord)
      const stale = await staleSession(app, landlord.owner)
      expect(outcome(await satellitesOf(app, stale, 'POST', '', body()))).toBe(
        '401 REAUTHENTICATION_REQUIRED',
      )
      expect(outcome(await satellitesOf(app, stale, 'DELETE', `/${id}`))).toBe(
        '401 REAUTHENTICATION_REQUIRED',
      )
      expect(outcome(await satellitesOf(app, stale, 'PATCH', `/${id}`, { name: 'Rosa' }))).toBe('200')
    })

    it('to other accounts, like one that does not exist', async () => {
      const landlord = await aLandlord(app)
      const stranger = await aLandlord(app)
      const { id } = await anActiveSatellite(app, dns, landlord)
      const ask = async (method: string, path: string) => {
        if (path === '') return '404 NOT_FOUND'
        const sent = method === 'PATCH' ? { name: 'Mine' } : undefined
        return outcome(await satellitesOf(app, stranger.session, method, path, sent))
      }
      for (const one of [id, UNKNOWN_ID, id.toUpperCase(), 'x', '%2e%2e'])
        expect(await answersTo(ask, one)).toEqual(new Set(['404 NOT_FOUND']))
      expect((await call(stranger)).json).toEqual({ satellites: [] })
      expect((await call(landlord, 'GET', `/${id}`)).json).toMatchObject({
        state: 'active',
        name: 'Rose Shop',
      })
    })
  })

  // Moves the clock, so that tokens of sessions from before have expired.
  it('are not proven by a token of more than 7 days ago; there is a new one then', async () => {
    const landlord = await aLandlord(app)
    const [added, other] = [await addSatellite(app, landlord), await addSatellite(app, landlord)]
    publish(dns, added)
    app.clock.advance(SEVEN_DAYS + 1)
    const later = { ...landlord, session: await signIn(app, landlord.owner, 'main') }
    expect(outcome(await call(later, 'POST', `/${added.id}/verify`))).toBe('409 PROOF_EXPIRED')
    const renewed = (await call(later, 'GET', `/${added.id}`)).json
    expect(renewed.proof.dns).toEqual({
      name: added.proof.dns.name,
      value: expect.not.stringContaining(added.proof.dns.value),
    })
    expect(outcome(await call(later, 'POST', `/${added.id}/verify`))).toBe('409 PROOF_NOT_FOUND')
    publish(dns, renewed)
    for (let checks = 3; checks <= 10; checks++)
      expect(outcome(await call(later, 'POST', `/${added.id}/verify`))).toBe('200')
    expect(outcome(await call(later, 'POST', `/${other.id}/verify`))).toBe('429 TOO_MANY_ATTEMPTS')
    expect((await call(later, 'GET', `/${other.id}`)).json.proof).toEqual(other.proof)
  })

  it('keep the proof that was found while somebody else saw the token expire', async () => {
    const landlord = await aLandlord(app)
    const [added, removed] = [await addSatellite(app, landlord), await addSatellite(app, landlord)]
    const registry = app.get(SatelliteRegistry)
    const verification = app.get(SatelliteVerification)
    const [seen, gone] = await Promise.all(
      [added, removed].map(({ id }) => registry.find(landlord.owner.accountId, id)),
    )
    publish(dns, added)
    expect(outcome(await call(landlord, 'POST', `/${added.id}/verify`))).toBe('200')
    expect(outcome(await call(landlord, 'DELETE', `/${removed.id}`))).toBe('204')
    const before = await stored(app, added.id)
    app.clock.advance(SEVEN_DAYS + 1)
    await verification.requireFreshToken(seen as RegisteredSatellite)
    expect(await stored(app, added.id)).toEqual(before)
    await expect(verification.requireFreshToken(gone as RegisteredSatellite)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('of other accounts with the same parent host are found by an index', async () => {
    const claim = { accountId: UNKNOWN_ID, origin: 'https://*.example.net', kind: 'preview' } as const
    const plan = await app.database.transaction(async transaction => {
      await transaction.execute(sql`set local enable_seqscan = off`)
      const found = holdersElsewhere(transaction, claim)
      return transaction.execute(sql`explain ${found.getSQL()}`)
    })
    expect(JSON.stringify(rowsOf(plan))).toContain('satellites_preview_parent')
  })

  it('are not added to an account that is gone', async () => {
    const actor = { accountId: UNKNOWN_ID, client: null }
    const wanted = { origin: anOrigin(), name: 'Shop', kind: 'production' } as const
    await expect(app.get(SatelliteRegistry).insert(actor, wanted)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
  })

  let shared: Promise<Landlord> | undefined
  /** For tests that add little. */
  function aSharedLandlord(): Promise<Landlord> {
    shared ??= aLandlord(app)
    return shared
  }
})

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AccountAdmins,
  missingProofsMail,
  RegisteredSatellites,
  SatelliteCheckJob,
  SatelliteRegistry,
  Satellites,
  SiteUrls,
  satelliteProofs,
} from '../../sources.js'
import { DnsServer } from '../../support/dns-server.js'
import { passTime } from '../../support/passing-time.js'
import { aMember, signIn } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByHeader } from '../support/api-calls.js'
import { provenSession } from '../support/reauthenticate.js'
import {
  type AddedSatellite,
  addSatellite,
  aLandlord,
  aName,
  anActiveSatellite,
  anOrigin,
  check,
  type Landlord,
  publish,
  satellitesOf,
  stored,
} from '../support/satellite-calls.js'
import { aMemberWith } from '../support/team-calls.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR

describe('The daily check of satellites', () => {
  let app: TestApp
  let dns: DnsServer
  let files: Server
  let answer: RequestListener
  let witness: AddedSatellite
  beforeAll(async () => {
    dns = await DnsServer.start()
    files = createServer((request, response) => answer(request, response))
    await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
    app = await TestApp.start({ DNS_SERVERS: dns.address })
    witness = await anActiveSatellite(app, dns, await aLandlord(app))
  })
  afterEach(() => {
    dns.failure = 'none'
    dns.meanwhile = async () => undefined
  })
  afterAll(async () => {
    await app.stop()
    await dns.stop()
    files.closeAllConnections()
    files.close()
  })

  /** With a session that is as new as the clock. */
  async function again({ owner }: Landlord): Promise<Landlord> {
    return { owner, session: await provenSession(app, owner) }
  }

  function takeDown({ proof }: AddedSatellite): () => void {
    const { name } = proof.dns
    const zone = dns.zones.get(name)
    dns.zones.delete(name)
    return () => void dns.zones.set(name, zone as never)
  }

  /** Without the notices of activations, which come before any check. */
  async function mailsTo(email: string) {
    const mails = await app.mailsTo(email)
    return mails.filter(({ subject }) => !subject.endsWith('is now a satellite of your account'))
  }

  async function subjectsTo(email: string): Promise<string[]> {
    return (await mailsTo(email)).map(({ subject }) => subject)
  }

  it('mails at the first and the third failure, suspends after 7 days, and nobody else notices', async () => {
    const landlord = await aLandlord(app)
    const inCharge = await aMemberWith(app, landlord.owner, 'accountSettings')
    const plain = await aMember(app, landlord.owner)
    const origin = anOrigin()
    const satellite = await anActiveSatellite(app, dns, landlord, origin)
    const { host } = new URL(origin)
    await app.get(Satellites).refresh()
    const branding = { name: 'Rose', logoUrl: null, accent: '#b91c1c', background: '#fef2f2' }
    await satellitesOf(app, landlord.session, 'PATCH', `/${satellite.id}`, { branding })
    takeDown(satellite)
    const notFound = `The proof for ${host} was not found`
    const expected: string[] = []
    for (let failures = 1; failures <= 7; failures++) {
      expect(await check(app)).toBeGreaterThanOrEqual(2)
      if (failures === 1 || failures === 3) expected.push(notFound)
      expect(await subjectsTo(landlord.owner.email)).toEqual(expected)
      expect(await stored(app, satellite.id)).toMatchObject({ state: 'active', proof: { failures } })
    }
    const session = await signIn(app, landlord.owner, 'satellite', origin)
    await check(app)
    expected.push(`Your satellite ${host} has been suspended`)
    expect(await stored(app, satellite.id)).toMatchObject({ state: 'suspended', suspendedBy: 'check' })
    await app.get(Satellites).refresh()
    expect((await refreshByHeader(app, session.sessionId, { Origin: origin })).status).toBe(403)
    expect(outcome(await refreshByHeader(app, session.sessionId, {}))).toMatch(/^401 /)
    expect(await stored(app, witness.id)).toMatchObject({ state: 'active', proof: { failures: 0 } })
    await check(app)
    for (const { email } of [landlord.owner, inCharge]) expect(await subjectsTo(email)).toEqual(expected)
    expect(await subjectsTo(plain.email)).toEqual([])
    const [mail] = await mailsTo(landlord.owner.email)
    expect(mail?.html).not.toContain('#b91c1c')
    expect(mail?.text).toContain(`your satellite Rose Shop (${host})`)
    expect(mail?.text).toContain(
      `TXT record: ${satellite.proof.dns.name}\nText: ${satellite.proof.dns.value}\n`,
    )
    expect(await app.auditRows({ accountId: landlord.owner.accountId, action: 'satellite.suspend' })).toEqual(
      [
        expect.objectContaining({
          userId: null,
          ip: null,
          outcome: 'ok',
          detail: { satellite: satellite.id, origin, suspendedBy: 'check' },
        }),
      ],
    )
  })

  it('that finds the proof again forgets the failures', async () => {
    const landlord = await aLandlord(app)
    const satellite = await anActiveSatellite(app, dns, landlord)
    const putBack = takeDown(satellite)
    for (let days = 0; days < 6; days++) await check(app)
    expect((await stored(app, satellite.id))?.proof).toMatchObject({ failures: 6 })
    putBack()
    await check(app)
    expect((await stored(app, satellite.id))?.proof).toMatchObject({ failures: 0, failingSince: null })
    takeDown(satellite)
    await check(app)
    await check(app)
    expect(await stored(app, satellite.id)).toMatchObject({ state: 'active', proof: { failures: 2 } })
  })

  slow('is resumed by the proof, and its sessions go on', async () => {
    const landlord = await aLandlord(app)
    const origin = anOrigin()
    const satellite = await anActiveSatellite(app, dns, landlord, origin)
    await app.get(Satellites).refresh()
    const session = await signIn(app, landlord.owner, 'satellite', origin)
    const putBack = takeDown(satellite)
    for (let days = 0; days < 8; days++) await check(app)
    expect(await stored(app, satellite.id)).toMatchObject({ state: 'suspended' })
    const later = await again(landlord)
    const resume = () => satellitesOf(app, later.session, 'POST', `/${satellite.id}/resume`)
    expect(outcome(await resume())).toBe('409 PROOF_NOT_FOUND')
    putBack()
    expect((await resume()).json).toMatchObject({ state: 'active', proof: { failingSince: null } })
    await app.get(Satellites).refresh()
    expect(outcome(await refreshByHeader(app, session.sessionId, { Origin: origin }))).toBe('200')
  })

  it('asks nobody again within a day, and each satellite once', async () => {
    await check(app)
    const before = dns.questions.length
    expect(await check(app, 12 * HOUR)).toBe(0)
    expect(dns.questions).toHaveLength(before)
    await check(app, 12 * HOUR)
    const asked = dns.questions.slice(before).filter(question => question.startsWith('TXT '))
    expect(asked).toContain(`TXT ${witness.proof.dns.name}`)
    expect(new Set(asked).size).toBe(asked.length)
  })

  it('is done by one of two replicas', async () => {
    await passTime(app, DAY + 1)
    const job = app.get(SatelliteCheckJob)
    const counts = await Promise.all([job.run(), job.run()])
    expect(counts.filter(count => count === null)).toHaveLength(1)
    expect(counts.filter(count => count !== null && count > 0)).toHaveLength(1)
  })

  it('counts nothing while our name server fails, and looks again in an hour', async () => {
    const landlord = await aLandlord(app)
    const satellite = await anActiveSatellite(app, dns, landlord)
    dns.failure = 'servfail'
    for (let days = 0; days < 9; days++) expect(await check(app)).toBe(0)
    expect(await stored(app, satellite.id)).toMatchObject({ state: 'active', proof: { failures: 0 } })
    expect(await stored(app, witness.id)).toMatchObject({ state: 'active', proof: { failures: 0 } })
    dns.failure = 'none'
    expect(await check(app, 11 * 60)).toBe(0)
    expect(await check(app, HOUR)).toBeGreaterThanOrEqual(2)
    expect(await subjectsTo(landlord.owner.email)).toEqual([])
  })

  it('does not count what it saw before somebody verified the satellite', async () => {
    const { id, proof } = await anActiveSatellite(app, dns, await aLandlord(app))
    dns.zones.delete(proof.dns.name)
    let proven = 0
    dns.meanwhile = async question => {
      if (question === `TXT ${proof.dns.name}` && proven++ === 0)
        await app.database.run(db => app.get(RegisteredSatellites).recordFound(db, id, 'dns'))
    }
    await check(app)
    expect(proven).toBe(1)
    expect((await stored(app, id))?.proof).toMatchObject({ failures: 0 })
  })

  slow('goes on after an error, and mails everybody else', async () => {
    const landlords = await Promise.all([aLandlord(app), aLandlord(app), aLandlord(app)])
    const failing = await Promise.all(landlords.map(landlord => anActiveSatellite(app, dns, landlord)))
    for (const satellite of failing) takeDown(satellite)
    const [unrecorded, untold, told] = failing
    const [registered, admins] = [app.get(RegisteredSatellites), app.get(AccountAdmins)]
    const [findLocked, mail] = [registered.findLocked.bind(registered), admins.mail.bind(admins)]
    jest.spyOn(registered, 'findLocked').mockImplementation(async (transaction, accountId, id) => {
      if (id === unrecorded.id) throw new Error('deadlock')
      return findLocked(transaction, accountId, id)
    })
    jest.spyOn(admins, 'mail').mockImplementation(async (accountId, write) => {
      if (accountId === landlords[1]?.owner.accountId) throw new Error('no mails today')
      return mail(accountId, write)
    })
    await check(app)
    jest.restoreAllMocks()
    const failures = async ({ id }: AddedSatellite) => (await stored(app, id))?.proof.failures
    expect([await failures(unrecorded), await failures(untold), await failures(told)]).toEqual([0, 1, 1])
    expect(await subjectsTo(landlords[2]?.owner.email as string)).toHaveLength(1)
    expect(await check(app, 11 * 60)).toBeGreaterThanOrEqual(1)
    expect(await failures(unrecorded)).toBe(1)
  })

  it('tells an account about all its satellites in one mail', async () => {
    const landlord = await aLandlord(app)
    const failing = [await anActiveSatellite(app, dns, landlord), await anActiveSatellite(app, dns, landlord)]
    for (const satellite of failing) takeDown(satellite)
    await check(app)
    const [mail, ...others] = await mailsTo(landlord.owner.email)
    expect([mail?.subject, others]).toEqual(['The proofs for 2 hosts were not found', []])
    for (const { proof } of failing) expect(mail?.text).toContain(`TXT record: ${proof.dns.name}\n`)
  })

  it('names every host that is suspended or can be taken, ten that are missing, and counts the others', async () => {
    const landlord = await aLandlord(app)
    const { id } = await anActiveSatellite(app, dns, landlord)
    const { proof, ...satellite } = (await stored(app, id)) as NonNullable<Awaited<ReturnType<typeof stored>>>
    const outcomeOf = (index: number) => {
      if (index < 13) return 'missing'
      return index < 24 ? 'may be taken' : 'suspended'
    }
    const now = app.clock.now().getTime()
    const missing = Array.from(
      { length: 35 },
      (_, index) =>
        ({
          satellite: { ...satellite, origin: `https://host-${index}.test` },
          proof,
          outcome: outcomeOf(index),
          // The thirteenth is suspended next.
          suspendAt: new Date(now - (index === 12 ? 1 : 0)),
        }) as const,
    )
    const urls = app.get(SiteUrls)
    await app
      .get(AccountAdmins)
      .mail(landlord.owner.accountId, words => missingProofsMail(words, urls, missing))
    const [mail] = await mailsTo(landlord.owner.email)
    const named = [...(mail?.text ?? '').matchAll(/\((host-\d+)\.test\)/g)].map(([, host]) => host)
    const from = (start: number, end: number) =>
      Array.from({ length: end - start }, (_, index) => start + index)
    expect(named).toEqual([...from(24, 35), ...from(13, 24), 12, ...from(0, 9)].map(index => `host-${index}`))
    expect(mail?.subject).toBe('The proofs for 35 hosts were not found')
    expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain('The proofs for 3 more hosts were not there either.')
  })

  it('tells the account of a suspended one before others may have its origin', async () => {
    const landlord = await aLandlord(app)
    const satellite = await anActiveSatellite(app, dns, landlord)
    await satellitesOf(app, landlord.session, 'POST', `/${satellite.id}/suspend`)
    takeDown(satellite)
    await check(app)
    const [mail, ...others] = await mailsTo(landlord.owner.email)
    expect(others).toEqual([])
    expect(mail?.subject).toMatch(/^The proof for .+ was not found$/)
    expect(mail?.text).toContain('anyone who proves that the host is theirs can claim it')
  })

  slow('is not brought forward while it is postponed', async () => {
    const satellite = await anActiveSatellite(app, dns, await aLandlord(app))
    const rival = await aLandlord(app)
    dns.failure = 'servfail'
    expect(await check(app)).toBe(0)
    const later = await again(rival)
    const body = { origin: satellite.origin, name: 'Ours now' }
    expect(outcome(await satellitesOf(app, later.session, 'POST', '', body))).toBe('409 ORIGIN_TAKEN')
    const before = dns.questions.length
    await check(app, 11 * 60)
    expect(dns.questions).toHaveLength(before)
    dns.failure = 'none'
    await check(app, HOUR)
    expect(dns.questions.slice(before)).toContain(`TXT ${satellite.proof.dns.name}`)
  })

  it('looks for what nobody has ever looked for', async () => {
    const { id } = await anActiveSatellite(app, dns, await aLandlord(app))
    const unknown = { method: null, checkedAt: null, provenAt: null }
    const matches = eq(satelliteProofs.satelliteId, id)
    await app.database.run(db => db.update(satelliteProofs).set(unknown).where(matches))
    expect(await check(app, 11 * 60)).toBe(1)
    expect((await stored(app, id))?.proof).toMatchObject({ method: 'dns', checkedAt: expect.any(Date) })
  })

  slow('counts the silence of one host, while others answer', async () => {
    const landlord = await aLandlord(app)
    const proofs = new Map<string, string>()
    answer = ({ headers }, response) => {
      const content = proofs.get(headers.host as string)
      if (content === undefined) response.destroy()
      else response.end(content)
    }
    const [silent, speaking] = await Promise.all(
      [aName(), aName()].map(async name => {
        const host = `${name}.localhost:${(files.address() as AddressInfo).port}`
        dns.zones.set(`${name}.localhost`, { a: ['127.0.0.1'] })
        const added = await addSatellite(app, landlord, `http://${host}`)
        proofs.set(host, added.proof.file.content)
        expect(outcome(await satellitesOf(app, landlord.session, 'POST', `/${added.id}/verify`))).toBe('200')
        return { id: added.id as string, host }
      }),
    )
    if (!silent || !speaking) throw new Error('there are two')
    proofs.delete(silent.host)
    await check(app)
    expect((await stored(app, silent.id))?.proof).toMatchObject({ method: 'file', failures: 1 })
    expect((await stored(app, speaking.id))?.proof).toMatchObject({ failures: 0 })
    proofs.delete(speaking.host)
    await check(app)
    expect((await stored(app, silent.id))?.proof).toMatchObject({ failures: 1 })
    expect((await stored(app, speaking.id))?.proof).toMatchObject({ failures: 0 })
  })

  describe('when another account wants the origin', () => {
    /** Somebody else who would like to have it. */
    async function aRival(origin: string) {
      const rival = await aLandlord(app)
      const add = async ({ session }: Landlord) =>
        satellitesOf(app, session, 'POST', '', { origin, name: 'Ours now' })
      expect(outcome(await add(rival))).toBe('409 ORIGIN_TAKEN')
      return { rival, add }
    }

    slow('comes soon, and it stays while its account can prove it', async () => {
      const landlord = await aLandlord(app)
      const origin = anOrigin()
      const satellite = await anActiveSatellite(app, dns, landlord, origin)
      await check(app, 2 * HOUR)
      const { rival, add } = await aRival(origin)
      const before = dns.questions.length
      await check(app, 11 * 60)
      expect(dns.questions.slice(before)).toContain(`TXT ${satellite.proof.dns.name}`)
      expect(outcome(await add(await again(rival)))).toBe('409 ORIGIN_TAKEN')
      expect(await stored(app, satellite.id)).toMatchObject({ state: 'active', proof: { failures: 0 } })
    })

    it('gives it to who proves it once the proof is gone, with none of the old sessions', async () => {
      const landlord = await aLandlord(app)
      const origin = anOrigin()
      const satellite = await anActiveSatellite(app, dns, landlord, origin)
      await app.get(Satellites).refresh()
      const session = await signIn(app, landlord.owner, 'satellite', origin)
      await check(app, 2 * HOUR)
      const { rival, add } = await aRival(origin)
      const putBack = takeDown(satellite)
      await check(app, 11 * 60)
      const taker = await again(rival)
      const { json: added } = await add(taker)
      const verify = () => satellitesOf(app, taker.session, 'POST', `/${added.id}/verify`)
      expect(outcome(await verify())).toBe('409 PROOF_NOT_FOUND')
      // The account has been told, and has put its record back beside the rival's.
      putBack()
      publish(dns, added)
      expect(outcome(await verify())).toBe('409 ORIGIN_TAKEN')
      expect(await stored(app, satellite.id)).toMatchObject({ state: 'active' })

      takeDown(satellite)
      publish(dns, added)
      expect((await verify()).json).toMatchObject({ state: 'active' })
      expect(await stored(app, satellite.id)).toMatchObject({
        state: 'pending',
        activeSince: null,
        proof: {
          method: null,
          provenAt: null,
          token: expect.not.stringContaining(satellite.proof.dns.value),
        },
      })
      await app.get(Satellites).refresh()
      expect(outcome(await refreshByHeader(app, session.sessionId, { Origin: origin }))).toMatch(/^401 /)
      const { host } = new URL(origin)
      expect((await subjectsTo(landlord.owner.email)).at(-1)).toBe(
        `${host} is now a satellite of another account`,
      )
      expect(
        await app.auditRows({ accountId: landlord.owner.accountId, action: 'satellite.move' }),
      ).toHaveLength(1)

      const back = await again(landlord)
      const reverify = () => satellitesOf(app, back.session, 'POST', `/${satellite.id}/verify`)
      expect(outcome(await reverify())).toBe('409 PROOF_NOT_FOUND')
      publish(dns, (await satellitesOf(app, back.session, 'GET', `/${satellite.id}`)).json)
      expect(outcome(await reverify())).toBe('409 ORIGIN_TAKEN')
    })

    it.each(['an operator suspends it', 'its account proves it'])(
      'does not give it away when %s just then',
      async event => {
        const landlord = await aLandlord(app)
        const satellite = await anActiveSatellite(app, dns, landlord)
        takeDown(satellite)
        await check(app)
        const rival = await aLandlord(app)
        const added = await addSatellite(app, rival, satellite.origin)
        publish(dns, added)
        const operator = { accountId: landlord.owner.accountId, client: null }
        let looks = 0
        dns.meanwhile = async question => {
          // The rival's own proof is looked up before, at the same name.
          if (question !== `TXT ${satellite.proof.dns.name}` || ++looks !== 2) return
          if (event.startsWith('an')) await app.get(SatelliteRegistry).suspend(operator, satellite.id)
          else
            await app.database.run(db => app.get(RegisteredSatellites).recordFound(db, satellite.id, 'dns'))
        }
        const verify = () => satellitesOf(app, rival.session, 'POST', `/${added.id}/verify`)
        expect(outcome(await verify())).toBe('409 ORIGIN_TAKEN')
        expect(looks).toBe(2)
        expect(await stored(app, satellite.id)).not.toMatchObject({ state: 'pending' })
      },
    )

    it('gives it away although its former account cannot be told', async () => {
      const satellite = await anActiveSatellite(app, dns, await aLandlord(app))
      takeDown(satellite)
      await check(app)
      const rival = await aLandlord(app)
      jest.spyOn(app.get(AccountAdmins), 'mail').mockRejectedValueOnce(new Error('no mails today'))
      expect(await anActiveSatellite(app, dns, rival, satellite.origin)).toMatchObject({ state: 'active' })
      expect(await stored(app, satellite.id)).toMatchObject({ state: 'pending' })
    })

    it('does not give it away because nobody answers', async () => {
      const landlord = await aLandlord(app)
      const proofs = new Map<string, string>()
      answer = ({ headers }, response) => {
        const content = proofs.get(headers.host as string)
        if (content === undefined) response.destroy()
        else response.end(content)
      }
      const name = aName()
      const host = `${name}.localhost:${(files.address() as AddressInfo).port}`
      const origin = `http://${host}`
      dns.zones.set(`${name}.localhost`, { a: ['127.0.0.1'] })
      const satellite = await addSatellite(app, landlord, origin)
      proofs.set(host, satellite.proof.file.content)
      await satellitesOf(app, landlord.session, 'POST', `/${satellite.id}/verify`)
      proofs.set(host, 'under construction')
      await check(app)
      const rival = await aLandlord(app)
      const added = await addSatellite(app, rival, origin)
      publish(dns, added)
      proofs.delete(host)
      const verify = () => satellitesOf(app, rival.session, 'POST', `/${added.id}/verify`)
      expect(outcome(await verify())).toBe('409 ORIGIN_TAKEN')
      proofs.set(host, 'under construction')
      expect(outcome(await verify())).toBe('200')
    })
  })
})

import { describe, expect, it } from '@jest/globals'
import {
  type Email,
  SatelliteAdministration,
  SatelliteRegistry,
  SatelliteVerification,
  UserEmails,
} from '../../sources.js'
import { aDnsServer } from '../../support/dns-server.js'
import { anEmail, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import {
  type AddedSatellite,
  addSatellite,
  aLandlord,
  anActiveSatellite,
  anOrigin,
  check,
  type Landlord,
  publish,
  satellitesOf,
  stored,
} from '../support/satellite-calls.js'
import { aMemberWith } from '../support/team-calls.js'

describe('The mail about a new satellite', () => {
  const dns = aDnsServer()
  const app = anApp(() => ({ DNS_SERVERS: dns.address }))

  const call = ({ session }: Landlord, method: string, { id }: AddedSatellite, path = '') =>
    satellitesOf(app, session, method, `/${id}${path}`)
  const subjectAbout = ({ origin }: { origin: string }) =>
    `${new URL(origin).host} is now a satellite of your account`

  async function noticesTo(email: string) {
    const mails = await app.mailsTo(email)
    return mails.filter(({ subject }) => subject.endsWith('is now a satellite of your account'))
  }

  async function subjectsTo({ email }: { email: string }): Promise<string[]> {
    return (await noticesTo(email)).map(({ subject }) => subject)
  }

  /** What an operator vouches for, even if another account has it. */
  async function vouchFor({ owner: { accountId } }: Landlord, origin: string): Promise<AddedSatellite> {
    const operator = { accountId, client: null }
    const wanted = { origin, name: 'Vouched for', kind: 'production' } as const
    const added = await app.get(SatelliteRegistry).insert(operator, wanted)
    return (await app.get(SatelliteVerification).vouchFor(operator, added, { isMove: true })).satellite
  }

  it('tells the owner who has activated which host, and when, though it may have been themself', async () => {
    const landlord = await aLandlord(app)
    const { email } = landlord.owner
    const added = await addSatellite(app, landlord)
    expect(outcome(await call(landlord, 'POST', added, '/verify'))).toBe('409 PROOF_NOT_FOUND')
    expect(await noticesTo(email)).toEqual([])
    publish(dns, added)
    expect(outcome(await call(landlord, 'POST', added, '/verify'))).toBe('200')
    const [mail, ...others] = await noticesTo(email)
    expect([mail?.subject, others]).toEqual([subjectAbout(added), []])
    const { activeSince } = (await stored(app, added.id)) ?? {}
    const day = activeSince?.toLocaleDateString('en-GB', { timeZone: 'UTC', dateStyle: 'long' })
    const time = activeSince?.toLocaleTimeString('en-GB', { timeZone: 'UTC', timeStyle: 'short' })
    const { host } = new URL(added.origin)
    expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain(
      `${email} activated ${host} as a satellite of your account at Mainstay, on ${day} at ${time} UTC.`,
    )
    expect(mail?.text).toContain(`${MAIN}/account/satellites\n`)
  })

  it('is sent once, whatever is done with the satellite afterwards', async () => {
    const landlord = await aLandlord(app)
    const active = await anActiveSatellite(app, dns, landlord)
    expect(outcome(await call(landlord, 'POST', active, '/verify'))).toBe('200')
    expect(outcome(await call(landlord, 'POST', active, '/suspend'))).toBe('204')
    expect(outcome(await call(landlord, 'POST', active, '/resume'))).toBe('200')
    expect(await check(app)).toBeGreaterThanOrEqual(1)
    expect(await subjectsTo(landlord.owner)).toEqual([subjectAbout(active)])
  })

  it('names the member who has activated it, and goes to the owner alone', async () => {
    const landlord = await aLandlord(app)
    const member = await aMemberWith(app, landlord.owner, 'accountSettings')
    const added = await addSatellite(app, landlord)
    publish(dns, added)
    const session = await signIn(app, member, 'main')
    expect(outcome(await call({ ...landlord, session }, 'POST', added, '/verify'))).toBe('200')
    const [mail, ...others] = await noticesTo(landlord.owner.email)
    expect(others).toEqual([])
    expect(mail?.text).toContain(`${member.email} activated`)
    expect(await noticesTo(member.email)).toEqual([])
  })

  it('also goes to an earlier address of the owner, as long as it can be restored', async () => {
    const landlord = await aLandlord(app)
    const { owner } = landlord
    const email = anEmail() as Email
    const since = app.clock.now()
    await app.database.transaction(transaction =>
      app.get(UserEmails).change(transaction, owner, email, since),
    )
    const active = await anActiveSatellite(app, dns, landlord)
    for (const address of [owner.email, email])
      expect(await subjectsTo({ email: address })).toEqual([subjectAbout(active)])
  })

  it('is not sent when an operator activates the satellite, nor when the account resumes it', async () => {
    const landlord = await aLandlord(app)
    const { accountId } = landlord.owner
    const vouched = await vouchFor(landlord, anOrigin())
    const added = await addSatellite(app, landlord)
    publish(dns, added)
    const operator = { accountId, client: null }
    await app.get(SatelliteVerification).verify(operator, added.id)
    expect(outcome(await call(landlord, 'POST', added, '/suspend'))).toBe('204')
    expect(outcome(await call(landlord, 'POST', added, '/resume'))).toBe('200')
    await app.get(SatelliteAdministration).suspend(vouched)
    await app.get(SatelliteAdministration).resume(vouched)
    for (const { id } of [vouched, added]) expect(await stored(app, id)).toMatchObject({ state: 'active' })
    expect(await noticesTo(landlord.owner.email)).toEqual([])
  })

  it('is sent again when the origin comes back from another account', async () => {
    const [landlord, other] = [await aLandlord(app), await aLandlord(app)]
    const active = await anActiveSatellite(app, dns, landlord)
    const taken = await vouchFor(other, active.origin)
    expect(outcome(await call(other, 'DELETE', taken))).toBe('204')
    publish(dns, (await call(landlord, 'GET', active)).json)
    expect(outcome(await call(landlord, 'POST', active, '/verify'))).toBe('200')
    expect(await subjectsTo(landlord.owner)).toEqual([subjectAbout(active), subjectAbout(active)])
    expect(await noticesTo(other.owner.email)).toEqual([])
  })
})

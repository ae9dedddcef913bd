import { describe, expect, it } from '@jest/globals'
import { permissionsOf, type User } from '../../sources.js'
import { aDnsServer } from '../../support/dns-server.js'
import { aMember, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { changeAddress, undoAddress } from '../support/address-changes.js'
import { outcome } from '../support/api-calls.js'
import { provenSession } from '../support/reauthenticate.js'
import {
  type AddedSatellite,
  addSatellite,
  aLandlord,
  anActiveSatellite,
  type Landlord,
  publish,
  satellitesOf,
  stored,
} from '../support/satellite-calls.js'
import { aMemberWith, team } from '../support/team-calls.js'

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
const SUBJECT = 'Satellites of your account have been suspended'

describe('Satellites that a stranger has activated with somebody’s login', () => {
  const dns = aDnsServer()
  const app = anApp(() => ({
    ANOMALY_POLICY: 'notify:10',
    DNS_SERVERS: dns.address,
  }))

  const call = ({ session }: Landlord, method: string, { id }: { id: string }, path = '') =>
    satellitesOf(app, session, method, `/${id}${path}`)
  const hostOf = ({ origin }: AddedSatellite) => new URL(origin).host

  /** The stranger logs in an hour later, on another device, and gives the password again. */
  async function aStranger(owner: User): Promise<Landlord> {
    app.clock.advance(60 * 60)
    expect((await sendLogin(app, owner, { 'User-Agent': PHONE })).status).toBe(200)
    await app.mailsTo(owner.email)
    app.clock.advance(60)
    return { owner, session: await provenSession(app, owner) }
  }

  async function notMe({ email }: User): Promise<void> {
    const body = { token: await app.mailedToken(email, '/not-me') }
    const headers = { Origin: MAIN }
    expect(outcome(await app.post('/api/sessions/not-me', body, headers))).toBe('204')
  }

  async function textAbout({ email }: User, subject: string): Promise<string> {
    const found = (await app.mailsTo(email)).filter(mail => mail.subject === subject)
    expect(found).toHaveLength(1)
    return found[0]?.text.replaceAll(/\s+/g, ' ') ?? ''
  }

  slow('are suspended by "this was not me", those from before are not; the owner is told', async () => {
    const landlord = await aLandlord(app)
    const before = await anActiveSatellite(app, dns, landlord)
    const waiting = await addSatellite(app, landlord)
    const resumed = await anActiveSatellite(app, dns, landlord)
    expect(outcome(await call(landlord, 'POST', resumed, '/suspend'))).toBe('204')
    const stranger = await aStranger(landlord.owner)
    const added = await anActiveSatellite(app, dns, stranger)
    publish(dns, waiting)
    expect(outcome(await call(stranger, 'POST', waiting, '/verify'))).toBe('200')
    expect(outcome(await call(stranger, 'POST', resumed, '/resume'))).toBe('200')
    expect(outcome(await call(stranger, 'POST', before, '/verify'))).toBe('200')

    await notMe(landlord.owner)
    expect(await stored(app, before.id)).toMatchObject({ state: 'active', suspendedBy: null })
    for (const { id } of [added, waiting, resumed])
      expect(await stored(app, id)).toMatchObject({ state: 'suspended', suspendedBy: 'account' })
    const text = await textAbout(landlord.owner, SUBJECT)
    for (const each of [added, waiting, resumed]) expect(text).toContain(hostOf(each))
    expect(text).not.toContain(hostOf(before))
    const rows = await app.auditRows({ action: 'satellite.suspend' })
    expect(rows.map(({ detail }) => detail)).toContainEqual({
      ...{ satellite: added.id, origin: added.origin },
      ...{ suspendedBy: 'account', reason: 'recovered' },
    })
  })

  slow('can be resumed by whoever may change the account, with the proof', async () => {
    const landlord = await aLandlord(app)
    const stranger = await aStranger(landlord.owner)
    const added = await anActiveSatellite(app, dns, stranger)
    await notMe(landlord.owner)
    const helper = await aMemberWith(app, landlord.owner, 'accountSettings')
    const session = await signIn(app, helper, 'main')
    const back = await call({ ...landlord, session }, 'POST', added, '/resume')
    expect(back.json).toMatchObject({ state: 'active', suspendedBy: null })
  })

  slow(
    'are also found when somebody whom the stranger let in has activated them; one mail names both',
    async () => {
      const landlord = await aLandlord(app)
      const puppet = await aMember(app, landlord.owner)
      const stranger = await aStranger(landlord.owner)
      const powers = permissionsOf(['accountSettings', 'viewReports'])
      const given = await team(app, stranger.session, 'PUT', `/${puppet.id}/permissions`, powers)
      expect(outcome(given)).toBe('204')
      const added = await anActiveSatellite(app, dns, {
        owner: puppet,
        session: await provenSession(app, puppet),
      })
      await notMe(landlord.owner)
      expect(await stored(app, added.id)).toMatchObject({ state: 'suspended' })
      const text = await textAbout(landlord.owner, 'Members of your team have been disabled')
      expect(text).toContain(puppet.email)
      expect(text).toContain(hostOf(added))
    },
  )

  slow(
    'are not suspended again by an earlier link of the same user, once somebody else has resumed them',
    async () => {
      const landlord = await aLandlord(app)
      const helper = await aMemberWith(app, landlord.owner, 'accountSettings')
      const session = await provenSession(app, helper)
      const added = await anActiveSatellite(app, dns, { owner: helper, session })
      const first = await changeAddress(app, session, helper)
      const second = await changeAddress(app, session, first)
      expect(await undoAddress(app, second)).toBe('204')
      expect(await stored(app, added.id)).toMatchObject({ state: 'suspended' })
      expect(outcome(await call(landlord, 'POST', added, '/resume'))).toBe('200')
      expect(await undoAddress(app, first)).toBe('204')
      expect(await stored(app, added.id)).toMatchObject({ state: 'active' })
    },
  )

  it('are left alone where others have activated them, whoever reports a login', async () => {
    const landlord = await aLandlord(app)
    const member = await aMember(app, landlord.owner)
    await aStranger(member)
    const added = await anActiveSatellite(app, dns, {
      ...landlord,
      session: await provenSession(app, landlord.owner),
    })
    await notMe(member)
    expect(await stored(app, added.id)).toMatchObject({ state: 'active' })
  })
})

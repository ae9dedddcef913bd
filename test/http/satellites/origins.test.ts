import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { environmentOf } from '../../conformance/service/environment.js'
import { makeKeys } from '../../conformance/values/keys.js'
import { DnsServer } from '../../support/dns-server.js'
import { MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import {
  addSatellite,
  aLandlord,
  aName,
  anActiveSatellite,
  anOrigin,
  type Landlord,
  publish,
  satellitesOf,
} from '../support/satellite-calls.js'

/** As in production, where `main.test` is the domain of the cookie. */
describe('Origins that can be satellites', () => {
  let app: TestApp
  let dns: DnsServer
  let folder: string
  let landlord: Landlord
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mainstay-origins-'))
    const keys = join(folder, 'jwt-keys.json')
    await makeKeys(keys)
    dns = await DnsServer.start()
    app = await TestApp.start(
      environmentOf({ JWT_KEYS_FILE: keys, DNS_SERVERS: dns.address, LOG_LEVEL: 'silent' }),
    )
    landlord = await aLandlord(app)
  })
  afterAll(async () => {
    await app.stop()
    await dns.stop()
    await rm(folder, { recursive: true })
  })

  function add(origin: string, more: object = {}, { session } = landlord) {
    return satellitesOf(app, session, 'POST', '', { origin, name: 'Shop', ...more })
  }

  it.each([
    ['https://vercel.app', 'vercel.app is shared by everybody who has a name under it'],
    ['https://a.b.main.test', 'main.test belongs to this service, with everything under it'],
    ['https://Shop.example.net', 'Browsers send this origin as https://shop.example.net'],
    ['https://vault.corp.internal', 'vault.corp.internal is not a name of the public internet'],
    [MAIN, 'This is the main site, the API or the operator console itself'],
  ])('%s cannot: "%s"', async (origin, message) => {
    const { status, json } = await add(origin)
    expect([status, json.code, json.errors]).toMatchObject([
      ...[400, 'INVALID_BODY'],
      [{ field: 'origin', code: expect.stringMatching(/^ORIGIN_/), message }],
    ])
  })

  it('a host within the domain of passkeys cannot, whatever the domain of the cookie (S3)', async () => {
    const narrow = await TestApp.start({
      ...{ PUBLIC_URL: 'https://www.main.test', MAIN_ORIGIN: 'https://www.main.test' },
      ...{ COOKIE_DOMAIN: '', PASSKEY_RP_ID: 'main.test' },
    })
    try {
      const owner = await aLandlord(narrow)
      const { status, json } = await satellitesOf(narrow, owner.session, 'POST', '', {
        ...{ origin: 'https://customer.main.test', name: 'Shop' },
      })
      expect([status, json.errors]).toMatchObject([400, [{ field: 'origin', code: 'ORIGIN_RESERVED' }]])
    } finally {
      await narrow.stop()
    }
  })

  it('a pattern of previews cannot be under our own domain, and another on a public one can', async () => {
    const { status, json } = await add('https://*.main.test', { kind: 'preview' })
    expect([status, json.errors]).toMatchObject([400, [{ field: 'origin', code: 'ORIGIN_RESERVED' }]])
    expect(outcome(await add('https://customer.github.io'))).toBe('201')
  })

  it('accepts an origin that the operator lists for everybody as taken', async () => {
    expect(outcome(await add(SHOP_ONE))).toBe('409 ORIGIN_TAKEN')
  })

  slow('counts an origin as taken when another account has it, and not when it only wants it', async () => {
    const stranger = await aLandlord(app)
    const [theirs, wanted] = [anOrigin(), anOrigin()]
    await anActiveSatellite(app, dns, stranger, theirs)
    await addSatellite(app, stranger, wanted)
    expect(outcome(await add(theirs))).toBe('409 ORIGIN_TAKEN')
    expect(outcome(await add(wanted))).toBe('201')
  })

  slow('patterns of two accounts that could cover the same host are not both active', async () => {
    const stranger = await aLandlord(app)
    const domain = `${aName()}.example.net`
    const preview = { kind: 'preview' }
    const early = await addSatellite(app, landlord, `https://shop-*.${domain}`, preview)
    await anActiveSatellite(app, dns, stranger, `https://*.${domain}`, preview)
    expect(outcome(await add(`https://*-shop.${domain}`, preview))).toBe('409 ORIGIN_TAKEN')
    publish(dns, early)
    const { id } = early
    expect(outcome(await satellitesOf(app, landlord.session, 'POST', `/${id}/verify`))).toBe(
      '409 ORIGIN_TAKEN',
    )
    await anActiveSatellite(app, dns, stranger, `https://team-*.${domain}`, preview)
    await anActiveSatellite(app, dns, stranger, `https://shop.${domain}`)
  })

  slow('two accounts that prove the same origin at the same time do not both get it', async () => {
    const stranger = await aLandlord(app)
    const origin = anOrigin()
    const pending = await Promise.all(
      [landlord, stranger].map(async each => ({ each, added: await addSatellite(app, each, origin) })),
    )
    for (const { added } of pending) publish(dns, added)
    const answers = await Promise.all(
      pending.map(({ each, added }) => satellitesOf(app, each.session, 'POST', `/${added.id}/verify`)),
    )
    expect(answers.map(outcome).sort()).toEqual(['200', '409 ORIGIN_TAKEN'])
  })

  it('a file of proof is not fetched from a private address', async () => {
    const added = await addSatellite(app, landlord)
    dns.zones.set(new URL(added.origin).hostname, { a: ['169.254.169.254'] })
    const { json } = await satellitesOf(app, landlord.session, 'POST', `/${added.id}/verify`)
    expect(json.errors[1].message).toBe(`${added.proof.file.url}: the host has no public address`)
  })
})

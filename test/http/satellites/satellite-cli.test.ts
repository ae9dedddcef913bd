import { randomUUID } from 'node:crypto'
import { describe, expect } from '@jest/globals'
import { aDnsServer } from '../../support/dns-server.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { anApp, SHOP_ONE } from '../../support/test-app.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { provenSession } from '../support/reauthenticate.js'
import {
  type AddedSatellite,
  addSatellite,
  aLandlord,
  anActiveSatellite,
  anOrigin,
  check,
  publish,
  satellitesOf,
  stored,
} from '../support/satellite-calls.js'

describe('The commands for satellites, beside a running server', () => {
  const dns = aDnsServer()
  const app = anApp(() => ({ DNS_SERVERS: dns.address }))

  function mainstay(...args: string[]) {
    const environment = {
      ...{ NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, DNS_SERVERS: dns.address },
      ...{ SMTP_URL: app.outbox.smtpUrl, MAIL_FROM: 'mainstay@main.test' },
    }
    return runInProcess(args, { ...environment, ...app.stores })
  }

  onServers(
    'satellite:add makes a pending one for an account or its owner, and says what proves it',
    async () => {
      const { owner } = await aLandlord(app)
      const [one, other] = [anOrigin(), `https://*.${new URL(anOrigin()).host}`]
      const added = await mainstay('satellite:add', one, '--owner', owner.email, '--name', 'Rose & Sons')
      expect(added).toMatchObject({ code: 0, errors: '' })
      const id = idIn(added.output)
      const row = await stored(app, id)
      expect(row).toMatchObject({ accountId: owner.accountId, name: 'Rose & Sons', state: 'pending' })
      const { host } = new URL(one)
      expect(added.output).toContain(
        `TXT record _mainstay-challenge.${host}: token=${row?.proof.token} expiry=never\n`,
      )
      expect(added.output).toContain(`or file ${one}/.well-known/mainstay-challenge.txt: token=`)
      const preview = await mainstay('satellite:add', other, '--account', owner.accountId, '--preview')
      expect(preview.output).not.toContain('or file')
      expect(await stored(app, idIn(preview.output))).toMatchObject({ kind: 'preview', name: other.slice(8) })

      const listed = await mainstay('satellite:list', '--owner', owner.email)
      expect(listed.output).toBe(
        [
          `${id}  pending  production  ${owner.accountId}  ${one}`,
          `${idIn(preview.output)}  pending  preview  ${owner.accountId}  ${other}`,
          '2 satellites\n',
        ].join('\n'),
      )
      expect((await mainstay('satellite:list')).output).toContain(one)
    },
  )

  slow('satellite:verify looks for the proof, as often as it is asked, and says what it found', async () => {
    const landlord = await aLandlord(app)
    const added = await addSatellite(app, landlord)
    const verify = () => mainstay('satellite:verify', added.id)
    expect(await verify()).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`TXT ${added.proof.dns.name}: there is no such name\n`),
    })
    publish(dns, added)
    expect(await verify()).toMatchObject({ code: 0, output: `${added.origin} is active\n` })
    const rows = await app.auditRows({ accountId: landlord.owner.accountId })
    expect(rows.at(-1)).toMatchObject({ action: 'satellite.verify', userId: null, ip: null })
  })

  slow('satellite:add --proven activates without a proof, which nobody looks for later', async () => {
    const { owner } = await aLandlord(app)
    for (const origin of [anOrigin(), SHOP_ONE]) {
      const { code, output } = await mainstay('satellite:add', origin, '--owner', owner.email, '--proven')
      expect([code, output]).toEqual([0, expect.stringMatching(`${origin} is active\n$`)])
      const id = idIn(output)
      const asked = dns.questions.length
      await check(app)
      expect(dns.questions.slice(asked)).not.toContain(`TXT _mainstay-challenge.${new URL(origin).host}`)
      expect(await stored(app, id)).toMatchObject({ state: 'active', proof: { failures: 0 } })
    }
  })

  slow('satellite:add --proven vouches for one that the account has added itself', async () => {
    const landlord = await aLandlord(app)
    const pending = await addSatellite(app, landlord)
    const active = await anActiveSatellite(app, dns, landlord)
    for (const { id, origin } of [pending, active]) {
      const { code, output } = await mainstay(
        ...['satellite:add', origin, '--account', landlord.owner.accountId, '--proven'],
      )
      expect([code, output]).toEqual([0, `Vouched for ${id}: ${origin} is active\n`])
      expect(await stored(app, id)).toMatchObject({ state: 'active', proof: { method: 'operator' } })
      const rows = (await app.auditRows()).filter(
        ({ detail }) => (detail as { satellite?: string }).satellite === id,
      )
      expect(rows.at(-1)).toMatchObject({ action: 'satellite.verify', detail: { method: 'operator' } })
    }
  })

  slow('satellite:add --proven leaves closed what an operator has suspended', async () => {
    const landlord = await aLandlord(app)
    const { id, origin } = await anActiveSatellite(app, dns, landlord)
    expect(await mainstay('satellite:suspend', id)).toMatchObject({ code: 0 })
    const { code, errors } = await mainstay(
      'satellite:add',
      origin,
      '--owner',
      landlord.owner.email,
      '--proven',
    )
    expect([code, errors]).toEqual([1, expect.stringContaining(`satellite:resume ${id}`)])
    expect(await stored(app, id)).toMatchObject({ state: 'suspended' })
  })

  slowOnServers('satellite:add --proven holds when somebody of the account proves it too', async () => {
    const landlord = await aLandlord(app)
    const { output } = await mainstay(
      'satellite:add',
      anOrigin(),
      '--owner',
      landlord.owner.email,
      '--proven',
    )
    const id = idIn(output)
    expect(await addSatelliteAgain(landlord.session, id)).toBe('200')
    expect(await stored(app, id)).toMatchObject({ state: 'active', proof: { method: 'operator' } })
  })

  slow('satellite:add --move takes an origin from the account that has it', async () => {
    const [landlord, other] = [await aLandlord(app), await aLandlord(app)]
    const { id, origin } = await anActiveSatellite(app, dns, landlord)
    const add = (...more: string[]) =>
      mainstay('satellite:add', origin, '--owner', other.owner.email, '--proven', ...more)
    expect(await add()).toMatchObject({ code: 1, errors: 'This origin is in use already\n' })
    expect((await mainstay('satellite:list', '--owner', other.owner.email)).output).toBe('0 satellites\n')
    const before = (await app.mailsTo(landlord.owner.email)).length
    let attempts = 0
    app.outbox.accepts = () => attempts++ > 0
    // Greylisting.
    app.outbox.refusalCode = 451
    try {
      expect(await add('--move')).toMatchObject({ code: 0 })
    } finally {
      app.outbox.accepts = () => true
      app.outbox.refusalCode = 550
    }
    const told = (await app.mailsTo(landlord.owner.email)).slice(before)
    expect(told.map(({ text }) => text)).toEqual([expect.stringContaining(new URL(origin).host)])
    expect(await stored(app, id)).toMatchObject({ state: 'pending', activeSince: null })
    const session = await provenSession(app, landlord.owner)
    const again = await addSatelliteAgain(session, id)
    expect(again).toBe('409 ORIGIN_TAKEN')
    // It was the wrong account.
    const back = await mainstay(
      ...['satellite:add', origin, '--owner', landlord.owner.email, '--proven', '--move'],
    )
    expect(back).toMatchObject({ code: 0, output: `Vouched for ${id}: ${origin} is active\n` })
    expect(await stored(app, id)).toMatchObject({ state: 'active', proof: { method: 'operator' } })
    expect((await mainstay('satellite:list', '--owner', other.owner.email)).output).toContain('  pending  ')
  })

  slow('satellite:suspend holds until satellite:resume, whatever the account does', async () => {
    const landlord = await aLandlord(app)
    const { id, origin, proof } = await anActiveSatellite(app, dns, landlord)
    await satellitesOf(app, landlord.session, 'POST', `/${id}/suspend`)
    expect(await mainstay('satellite:suspend', id)).toMatchObject({ code: 0 })
    expect(await stored(app, id)).toMatchObject({ state: 'suspended', suspendedBy: 'operator' })
    const call = (method: string, path = '') => satellitesOf(app, landlord.session, method, `/${id}${path}`)
    for (const refused of [call('POST', '/resume'), call('POST', '/verify'), call('DELETE')])
      expect((await refused).json).toMatchObject({
        status: 403,
        code: 'SATELLITE_SUSPENDED',
        detail: 'An operator has suspended this satellite',
      })
    expect(outcome(await call('POST', '/suspend'))).toBe('204')
    const rival = await aLandlord(app)
    const body = { origin, name: 'Ours now' }
    expect(outcome(await satellitesOf(app, rival.session, 'POST', '', body))).toBe('409 ORIGIN_TAKEN')

    dns.zones.delete(proof.dns.name)
    for (let days = 0; days < 9; days++) await check(app)
    expect((await mainstay('satellite:list', '--owner', landlord.owner.email)).output).toMatch(
      /^\S+ {2}suspended by operator {2}production {2}.+ {2}no proof since \d{4}-\S+\n1 satellite\n$/,
    )
    expect(await mainstay('satellite:resume', id)).toMatchObject({ code: 0 })
    expect(await stored(app, id)).toMatchObject({
      state: 'active',
      suspendedBy: null,
      proof: { failures: 0 },
    })
    await check(app)
    expect(await stored(app, id)).toMatchObject({ state: 'active', proof: { failures: 1 } })
    const actions = (await app.auditRows({ accountId: landlord.owner.accountId, userId: null })).map(
      ({ action, detail }) => [action, (detail as { suspendedBy?: string }).suspendedBy],
    )
    expect(actions).toEqual([
      ['satellite.suspend', 'operator'],
      ['satellite.resume', undefined],
    ])
  })

  slow('satellite:suspend closes the hosts of previews, whatever else their account adds', async () => {
    const landlord = await aLandlord(app)
    const parent = new URL(anOrigin()).host
    const pattern = `https://*.${parent}`
    const preview = await anActiveSatellite(app, dns, landlord, pattern, { kind: 'preview' })
    const others = [
      await addSatellite(app, landlord, `https://x*.${parent}`, { kind: 'preview' }),
      await addSatellite(app, landlord, `https://x.${parent}`),
    ]
    const free = await addSatellite(app, landlord, `https://x.y.${parent}`)
    const prove = (added: AddedSatellite) => {
      publish(dns, added)
      return satellitesOf(app, landlord.session, 'POST', `/${added.id}/verify`).then(outcome)
    }
    expect(await mainstay('satellite:suspend', preview.id)).toMatchObject({ code: 0 })
    for (const other of others) expect(await prove(other)).toBe('403 SATELLITE_SUSPENDED')
    expect(await prove(free)).toBe('200')
    expect(await mainstay('satellite:suspend', free.id)).toMatchObject({ code: 0 })
    const around = await addSatellite(app, landlord, `https://*.y.${parent}`, { kind: 'preview' })
    expect(await prove(around)).toBe('403 SATELLITE_SUSPENDED')
    expect(await mainstay('satellite:resume', preview.id)).toMatchObject({ code: 0 })
    for (const other of others) expect(await prove(other)).toBe('200')
  })

  slowOnServers.each([
    [['satellite:add', 'https://github.io', '--proven'], 'github.io is shared by everybody'],
    [['satellite:add', 'https://shop.example.net', '--preview', '--proven', '--move'], 'has one asterisk'],
    [['satellite:add', 'https://shop.example.net', '--move'], '--move needs --proven'],
    [['satellite:add', 'https://shop.example.net', '--name', ' x'], '--name takes one line'],
  ])('%j fails: %s', async (args, reason) => {
    const { owner } = await aLandlord(app)
    const { code, errors } = await mainstay(...args, '--owner', owner.email)
    expect([code, errors]).toEqual([1, expect.stringContaining(reason)])
  })

  slowOnServers.each([
    [['satellite:add', 'https://shop.example.net'], 'Say whose it is'],
    [['satellite:add', 'https://shop.example.net', '--account', randomUUID()], 'There is no account'],
    [['satellite:list', '--account', 'x', '--owner', 'y'], 'Use either --account or --owner'],
    [['satellite:verify', randomUUID()], 'There is no satellite'],
    [['satellite:resume', randomUUID()], 'There is no satellite'],
  ])('%j fails: %s', async (args, reason) => {
    const { code, errors } = await mainstay(...args)
    expect([code, errors]).toEqual([1, expect.stringContaining(reason)])
  })

  async function addSatelliteAgain(session: Awaited<ReturnType<typeof provenSession>>, id: string) {
    publish(dns, (await satellitesOf(app, session, 'GET', `/${id}`)).json)
    return outcome(await satellitesOf(app, session, 'POST', `/${id}/verify`))
  }
})

function idIn(output: string): string {
  return /^Added (\S+):/.exec(output)?.[1] ?? ''
}

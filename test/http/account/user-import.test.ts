import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { hash as bcrypt } from '@node-rs/bcrypt'
import {
  accounts,
  type Db,
  type Email,
  type ImportCounts,
  importUsers,
  permissionsOf,
  RegisteredSatellites,
  type User,
  UserEmails,
  Users,
} from '../../sources.js'
import { Authenticator, aChallenge, secondStep } from '../../support/authenticator.js'
import { anEmail, anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { aSatellite } from '../../support/satellites.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'

const SALT = 'MDEyMzQ1Njc4OWFiY2RlZg'
const COSTLY = `$scrypt$ln=20,r=8,p=1$${SALT}$VqOEAUrTaAjMD6sh91JvmGtbD+YNGnXNMbfIDxgj094`

describe('Users imported', () => {
  const app = anApp()
  let passwordHash: string
  beforeAll(async () => {
    passwordHash = await bcrypt(PASSWORD, 4)
  })

  interface Imported extends ImportCounts {
    readonly told: string[]
  }

  /** Text and bytes go as they are; anything else as a line of JSON. */
  async function importLines(...lines: unknown[]): Promise<Imported> {
    const bytes = lines.map(line => {
      if (Buffer.isBuffer(line)) return line
      return Buffer.from(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    })
    return importFrom(Readable.from(bytes))
  }

  async function importFrom(source: AsyncIterable<Uint8Array>): Promise<Imported> {
    const told: string[] = []
    const counts = await importUsers(app.app, source, sentence => told.push(sentence))
    return { ...counts, told }
  }

  const find = (email: string) => app.get(Users).findByEmail(email as Email)
  const aPendingSatellite = ({ accountId }: User, origin: string) =>
    app.database.transaction(db =>
      app.get(RegisteredSatellites).add(db, { accountId, origin, name: 'A shop', kind: 'production' }),
    )
  const countAccounts = () => app.database.run(db => db.$count(accounts))
  const imports = async () => await app.auditRows({ action: 'user.import' })

  it('get mails in their language, if the service has it', async () => {
    const [german, unknown] = [anEmail(), anEmail()]
    const lines = [german, unknown].map(email => ({ email, role: 'owner', passwordHash }))
    const { added, told } = await importLines(
      { ...lines[0], language: 'de' },
      { ...lines[1], language: 'tlh' },
    )
    expect([added, told]).toEqual([1, ['Line 2 language must be one of en, de']])
    expect((await find(german))?.language).toBe('de')
  })

  it('go on with the codes of their authenticator app', async () => {
    const authenticator = new Authenticator(app)
    const email = anEmail()
    const totpSecret = authenticator.secret.toLowerCase().replace(/(.{4})/g, '$1 ')
    expect(await importLines({ email, role: 'owner', passwordHash, totpSecret })).toMatchObject({ added: 1 })
    expect((await find(email))?.hasSecondFactor).toBe(true)
    const challenge = await aChallenge(app, { email: email as Email })
    expect(outcome(await secondStep(app, { challenge, code: authenticator.code() }))).toBe('200')
  })

  it('are refused with an authenticator secret that is none, which is not shown', async () => {
    const wrong = [
      'A'.repeat(25),
      'A'.repeat(27),
      `${'A'.repeat(25)}Z`,
      'A'.repeat(104),
      `${'A'.repeat(31)}1`,
    ]
    const secrets = ['', ...wrong, 7, {}]
    const lines = secrets.map(totpSecret => ({ email: anEmail(), role: 'owner', passwordHash, totpSecret }))
    const { told, added } = await importLines(...lines)
    expect([added, told]).toEqual([
      0,
      secrets.map((_, index) => `Line ${index + 1} totpSecret must be base32 of 128 to 512 bits`),
    ])
  })

  it('are as the file has them, and log in with the password of before, whose hash is then ours', async () => {
    const [owner, member, bare] = [anEmail(), anEmail(), anEmail()]
    const account = randomUUID()
    const before = (await imports()).length
    const counts = await importLines(
      { email: owner.toUpperCase(), passwordHash, name: 'Rosa Meadows', role: 'owner', account },
      {
        email: member,
        passwordHash,
        role: 'member',
        account,
        permissions: ['viewReports'],
        satellites: [SHOP_ONE],
      },
      '',
      { email: bare, passwordHash: null, name: null, role: 'owner' },
    )
    expect(counts).toEqual({ lines: 3, added: 3, alreadyThere: 0, faults: 0, told: [] })
    const [ofOwner, ofMember, ofBare] = [await find(owner), await find(member), await find(bare)]
    expect(ofOwner).toMatchObject({ name: 'Rosa Meadows', role: 'owner', satellites: null, passwordHash })
    expect(ofOwner?.granted.payments).toBe(true)
    expect(ofMember).toMatchObject({
      name: null,
      role: 'member',
      accountId: ofOwner?.accountId,
      granted: permissionsOf(['viewReports']),
      satellites: [SHOP_ONE],
    })
    expect(ofBare?.passwordHash).toBeNull()
    expect(ofBare?.accountId).not.toBe(ofOwner?.accountId)
    const rows = (await imports()).slice(before)
    expect(rows).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        ip: null,
        detail: { added: 3, alreadyThere: 0, lines: { from: 1, to: 4 } },
      }),
    ])

    await signIn(app, { email: owner }, 'main')
    expect((await find(owner))?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/)
    await signIn(app, { email: owner }, 'main')
    await signIn(app, { email: member }, 'satellite')
    const logIn = (email: string, password: string) => sendLogin(app, { email }, { password }).then(outcome)
    expect(await logIn(member, 'wrong')).toBe('401 INVALID_CREDENTIALS')
    expect(await logIn(bare, PASSWORD)).toBe('401 INVALID_CREDENTIALS')
    expect((await find(bare))?.passwordHash).toBeNull()
  })

  it('can log in for the first time from many places at once', async () => {
    const email = anEmail()
    await importLines({ email, passwordHash, role: 'owner' })
    const logIn = () => sendLogin(app, { email })
    const answers = await Promise.all(Array.from({ length: 8 }, logIn))
    expect(answers.map(outcome)).toEqual(Array(8).fill('200'))
    expect((await find(email))?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/)
  })

  it('security L4: make exactly one owner in an account', async () => {
    const [first, second] = [anEmail(), anEmail()]
    const [early, late, orphan] = [anEmail(), anEmail(), anEmail()]
    const account = randomUUID()
    const told = await importLines(
      { email: early, passwordHash, role: 'member', account },
      { email: first, passwordHash, role: 'owner', account },
      { email: second, passwordHash, role: 'owner', account },
      { email: late, passwordHash, role: 'member', account },
      { email: orphan, passwordHash, role: 'member', account: randomUUID() },
    )
    const noOwner = 'belongs to an account without an owner; put the line of its owner first'
    expect(told).toMatchObject({
      added: 2,
      faults: 3,
      told: [`Line 1 ${noOwner}`, 'Line 3 would be a second owner of its account', `Line 5 ${noOwner}`],
    })
    const again = { email: early, passwordHash, role: 'member', account }
    expect(await importLines(again, { ...again, email: second, role: 'owner' })).toMatchObject({
      added: 1,
      told: ['Line 2 would be a second owner of its account'],
    })
    const { accountId } = (await find(first)) ?? {}
    for (const email of [early, late]) expect((await find(email))?.accountId).toBe(accountId)
    for (const email of [second, orphan]) expect(await find(email)).toBeNull()
    const existing = { email: anEmail(), passwordHash, role: 'owner', accountId }
    expect((await importLines(existing)).faults).toBe(1)
  })

  it('who are there already stay as they are: an import can be run again', async () => {
    const known = await anOwner(app)
    const lines = [known.email, anEmail(), anEmail()].map(email => ({
      email,
      passwordHash,
      name: 'From the file',
      role: 'owner',
    }))
    expect(await importLines(lines[0], lines[1], lines[1])).toMatchObject({ added: 1, alreadyThere: 2 })
    const before = { accounts: await countAccounts(), imports: (await imports()).length }
    expect(await importLines(...lines)).toMatchObject({ lines: 3, added: 1, alreadyThere: 2, faults: 0 })
    expect(await countAccounts()).toBe(before.accounts + 1)
    expect(await importLines(...lines)).toMatchObject({ lines: 3, added: 0, alreadyThere: 3, faults: 0 })
    expect(await countAccounts()).toBe(before.accounts + 1)
    expect(await imports()).toHaveLength(before.imports + 1)
    expect(await find(known.email)).toEqual(known)
  })

  it('do not take an address that its former user can still restore', async () => {
    const owner = await anOwner(app)
    const line = { email: owner.email, role: 'owner', passwordHash, account: randomUUID() }
    const change = (transaction: Db) =>
      app.get(UserEmails).change(transaction, owner, anEmail(), app.clock.now())
    const link = await app.database.transaction(change)
    expect(await importLines(line)).toMatchObject({ added: 0, alreadyThere: 1, faults: 0 })
    expect(await find(owner.email)).toBeNull()
    const body = { token: link as string }
    const undo = { method: 'POST', path: '/api/email/undo', headers: { Origin: MAIN }, body } as const
    expect(outcome(await app.request(undo))).toBe('204')
    expect((await find(owner.email))?.id).toBe(owner.id)
  })

  it('join an account that is here, or that a file before has made', async () => {
    const owner = await anOwner(app)
    const [first, second, third] = [anEmail(), anEmail(), anEmail()]
    const account = `customer ${randomUUID()}`
    await importLines({ email: first, role: 'owner', account })
    await importLines(
      { email: second, role: 'member', account },
      { email: third, role: 'member', accountId: owner.accountId.toUpperCase() },
    )
    expect((await find(second))?.accountId).toBe((await find(first))?.accountId)
    expect((await find(third))?.accountId).toBe(owner.accountId)
  })

  describe('a line at fault is told by its number and left out', () => {
    const good = () => ({ email: anEmail(), role: 'owner' })

    const faults: [line: unknown, reason: string][] = [
      ['{"email":', 'is not JSON'],
      ['[]', 'is not a JSON object'],
      ['null', 'is not a JSON object'],
      [Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'is not UTF-8'],
      [`"${'a'.repeat(20_000)}"`, 'is not UTF-8 or longer than 16384 bytes'],
      [{ role: 'owner' }, 'email must be'],
      [{ ...good(), email: 'rosa@' }, 'email must be'],
      [{ ...good(), email: 'rosa\u0000@example.com' }, 'email must be'],
      [{ ...good(), name: 'a\nb' }, 'name must be'],
      [{ email: anEmail() }, 'role must be'],
      [{ ...good(), role: 'admin' }, 'role must be'],
      [{ ...good(), permissions: ['everything'] }, 'permissions must be'],
      [{ ...good(), permissions: { payments: true } }, 'permissions must be'],
      [{ ...good(), permissions: ['dataEntry', 'viewReports'] }, 'permissions must be left out for an owner'],
      [{ ...good(), permissions: [] }, 'permissions must be left out for an owner'],
      [{ ...good(), satellites: [SHOP_ONE] }, 'satellites must be left out for an owner'],
      [{ ...good(), satellites: [] }, 'satellites must be a list of 1 to 50 origins'],
      [{ ...good(), satellites: [7] }, 'satellites must be a list of 1 to 50 origins'],
      [
        { ...good(), satellites: ['https://shop-one.test\u0000'] },
        'satellites must be a list of 1 to 50 origins',
      ],
      [{ ...good(), satellites: SHOP_ONE }, 'satellites must be'],
      [{ ...good(), passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99' }, 'passwordHash is not an argon2'],
      [{ ...good(), passwordHash: PASSWORD }, 'passwordHash is not an argon2'],
      [{ ...good(), passwordHash: COSTLY }, 'passwordHash needs more than'],
      [{ ...good(), passwordHash: 1 }, 'passwordHash must be text'],
      [{ ...good(), role: 'member' }, 'must have account or accountId for a member'],
      [{ ...good(), account: '' }, 'account must be'],
      [{ ...good(), accountId: 'x' }, 'accountId must be'],
      [{ ...good(), accountId: randomUUID() }, 'has an accountId that does not exist here'],
      [{ ...good(), account: 'a', accountId: randomUUID() }, 'must have account or accountId, not both'],
      [{ ...good(), account: 'a', customer: 'cus_' }, 'customer must be the id of a Stripe customer'],
      [{ ...good(), account: 'a', customer: ['cus_1'] }, 'customer must be the id of a Stripe customer'],
      [{ ...good(), customer: 'cus_1' }, 'must have account or accountId with a customer'],
      [
        { ...good(), role: 'member', account: 'a', customer: 'cus_1' },
        'customer must be left out for a member',
      ],
      [{ ...good(), account: randomUUID(), customer: 'cus_1' }, 'customers cannot be linked here'],
      [{ ...good(), pasword: PASSWORD }, 'has an unknown field; known:'],
    ]

    it('whatever is wrong with it', async () => {
      const lines = faults.flatMap(([line]) => [good(), line])
      const last = good()
      const { told, ...counts } = await importLines(...lines, last)
      const count = faults.length
      expect(counts).toEqual({ lines: 2 * count + 1, added: count + 1, alreadyThere: 0, faults: count })
      // Those that only the database can tell come last.
      const lineOf = (sentence: string) => Number(sentence.split(' ')[1])
      expect(told.toSorted((one, other) => lineOf(one) - lineOf(other))).toEqual(
        faults.map(([, reason], index) => expect.stringContaining(`Line ${2 * index + 2} ${reason}`)),
      )
      expect(told.join()).not.toContain(PASSWORD)
      expect(await find(last.email)).not.toBeNull()
    })

    it('if it names satellites that the account may not use', async () => {
      const [owner, other] = [await anOwner(app), await anOwner(app)]
      const [own, pending, foreign] = ['own', 'pending', 'foreign'].map(
        name => `https://${name}-${randomUUID()}.example.net`,
      )
      await aSatellite(app, owner, own as string)
      await aPendingSatellite(owner, pending as string)
      await aSatellite(app, other, foreign as string)
      const given = [[SHOP_ONE, own, own], [pending], [foreign], [own, 'https://evil.test']]
      const lines = given.map(satellites => {
        return { email: anEmail(), role: 'member', accountId: owner.accountId, satellites }
      })
      expect(await importLines(...lines)).toMatchObject({
        added: 2,
        told: [3, 4].map(line => `Line ${line} has satellites that its account may not use`),
      })
      expect((await find(lines[0]?.email as string))?.satellites).toEqual([SHOP_ONE, own])
    })

    it('accepts any line ends, however they arrive', async () => {
      const emails = [anEmail(), anEmail(), anEmail()]
      const lines = emails.map(email => JSON.stringify({ email, role: 'owner', name: 'Zoë 🔑' }))
      const bytes = Buffer.from(`\ufeff${lines[0]}\r\n\r\n${lines[1]}\nbad\n${lines[2]}`)
      const source = Readable.from(Array.from(bytes, byte => Buffer.from([byte])))
      expect(await importFrom(source)).toMatchObject({ lines: 4, added: 3, told: ['Line 4 is not JSON'] })
      for (const email of emails) expect((await find(email))?.name).toBe('Zoë 🔑')
    })
  })

  slow('that was stopped in the middle goes on when it is run again', async () => {
    const emails = Array.from({ length: 1_200 }, anEmail)
    const lines = emails.map(email => ({ email, role: 'owner' }))
    async function* stopped() {
      for (const line of lines.slice(0, 500)) yield Buffer.from(`${JSON.stringify(line)}\n`)
      throw new Error('the power went')
    }
    const before = await countAccounts()
    await expect(importFrom(stopped())).rejects.toThrow('the power went')
    const done = (await countAccounts()) - before
    expect(done).toBeGreaterThan(0)
    const rest = { lines: 1_200, added: 1_200 - done, alreadyThere: done }
    expect(await importLines(...lines)).toMatchObject(rest)
    expect(await countAccounts()).toBe(before + 1_200)
  })

  it('are all there, with their seats, before an account is linked to its customer (B1)', async () => {
    const [owner, member] = [anEmail(), anEmail()]
    const lines = [
      { email: owner, role: 'owner', account: owner, customer: 'cus_1' },
      ...Array.from({ length: 150 }, () => ({ email: anEmail(), role: 'owner' })),
      { email: member, role: 'member', account: owner },
    ]
    const linked: unknown[] = []
    const customers = {
      objection: async () => null,
      link: async ({ accountId, customerId }: { accountId: string; customerId: string }) => {
        linked.push([customerId, (await find(owner))?.accountId, (await find(member))?.accountId, accountId])
        return 'it was deleted meanwhile'
      },
    }
    const source = Readable.from(lines.map(line => Buffer.from(`${JSON.stringify(line)}\n`)))
    const told: string[] = []
    const counts = await importUsers(app.app, source, line => told.push(line), { customers })
    expect(counts).toMatchObject({ added: 152, faults: 1 })
    const { accountId } = (await find(owner)) ?? {}
    expect(linked).toEqual([['cus_1', accountId, accountId, accountId]])
    expect(told).toEqual(['Line 1 is not linked to its customer: it was deleted meanwhile'])
  })

  slow('by two imports at once are there once, each with one account', async () => {
    const lines = Array.from({ length: 600 }, () => ({ email: anEmail(), role: 'owner' }))
    const before = await countAccounts()
    const both = await Promise.all([importLines(...lines), importLines(...lines.toReversed())])
    expect(both.map(({ added, alreadyThere }) => added + alreadyThere)).toEqual([600, 600])
    expect(both.reduce((sum, { added }) => sum + added, 0)).toBe(600)
    expect(await countAccounts()).toBe(before + 600)
  })

  slow('are counted on the way', async () => {
    const line = { email: anEmail(), role: 'owner' }
    const { told } = await importLines(...Array.from({ length: 5_000 }, () => line))
    expect(told).toEqual(['5,000 lines: 1 user added, 4,999 already here, 0 lines at fault'])
  })
})

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { hash as bcrypt } from '@node-rs/bcrypt'
import Stripe from 'stripe'
import { type Email, permissionsOf, pluralize, Users } from '../../sources.js'
import { PASSWORD as OURS, sendLogin, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { anApp } from '../../support/test-app.js'
import { slow, slowOnServers } from '../../support/tiers.js'
import { outcome, subscribe } from '../support/api-calls.js'
import { anotherSubscription, statusOf } from '../support/subscriber.js'

const EXPORTS = join(__dirname, 'exports')
/** What the hashes in the exports are of; that of Firebase is of the one in its published example. */
const PASSWORD = 'correct horse battery staple'
const BCRYPT = '$2b$10$5eRwDPVVFQRMGLcc7XjPOODiTKbYDc1Fwm5doG.wIbt3yKmuvwGaO'
const FIREBASE_PASSWORD = 'user1password'

const SHOPS = { account: 'app_metadata.shop', owner: { 'app_metadata.roles': ['admin'] } }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moving-'))
})
afterEach(() => rm(folder, { recursive: true }))

interface Converted {
  readonly code: number | null
  /** Lines for users:import. */
  readonly users: Readonly<Record<string, unknown>>[]
  readonly report: string[]
  readonly told: string[]
}

/** As an operator does it, with files of test/http/account/exports. */
async function convert(
  system: string,
  files: string[],
  options: Record<string, unknown> = {},
): Promise<Converted> {
  const out = join(folder, 'users.jsonl')
  await rm(out, { force: true })
  const args = ['users:convert', system, ...files.map(pathOf), '--out', out]
  for (const [name, value] of Object.entries(options)) args.push(`--${name}`, await asFile(value))
  const { code, output, errors } = await runInProcess(args, {})
  const lines = code === 0 ? (await readFile(out, 'utf8')).trimEnd().split('\n') : []
  return {
    code,
    users: lines.map(line => JSON.parse(line)),
    report: output.trimEnd().split('\n'),
    told: errors.trimEnd().split('\n'),
  }
}

function pathOf(name: string): string {
  return name.startsWith('/') ? name : join(EXPORTS, name)
}

async function asFile(value: unknown): Promise<string> {
  if (typeof value === 'string') return pathOf(value)
  const path = join(folder, 'map.json')
  await writeFile(path, JSON.stringify(value))
  return path
}

async function asLines(name: string, records: readonly unknown[]): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, records.map(record => JSON.stringify(record)).join('\n'))
  return path
}

describe('users:convert', () => {
  it('joins the hashes of Auth0, maps roles, and leaves the password of an unverified address behind', async () => {
    const { users, report, told } = await convert('auth0', ['auth0-users.jsonl'], {
      with: 'auth0-hashes.jsonl',
      map: { ...SHOPS, permissions: { dataEntry: { 'app_metadata.roles': ['editor'] } } },
    })
    expect(users).toEqual([
      {
        email: 'rosa@shop.example',
        role: 'owner',
        name: 'Rosa Winter',
        account: 'shop-17',
        passwordHash: expect.stringMatching(/^\$2b\$10\$/),
      },
      {
        email: 'tom@shop.example',
        role: 'member',
        account: 'shop-17',
        permissions: ['dataEntry'],
        passwordHash: expect.stringMatching(/^\$2b\$10\$/),
      },
      {
        email: 'mallory@shop.example',
        role: 'member',
        name: 'Mallory',
        account: 'shop-17',
        permissions: ['dataEntry'],
      },
    ])
    expect(report).toEqual([
      '4 users read, 3 written: 1 owner with an account each, 2 members',
      'Keeping their password: bcrypt (2)',
      'Without a password, until they ask for a link: address never verified (1)',
      'Keeping their authenticator app: 0',
      'Left out: blocked or deleted there (1)',
      'Could not be carried over: a login with google-oauth2 (1)',
    ])
    expect(told).toEqual([
      'auth0|60425dc43519d90068f82976 is left out: blocked or deleted there',
      'auth0|60425dc43519d90068f82975 gets no password: address never verified',
    ])
  })

  it('prefers the export of Auth0 where the file of hashes is older', async () => {
    const hashes = await readFile(pathOf('auth0-hashes.jsonl'), 'utf8')
    const older = join(folder, 'older.jsonl')
    await writeFile(
      older,
      hashes.replace('mallory@shop.example', 'victim@shop.example').replaceAll(':false', ':true'),
    )
    const { users } = await convert('auth0', ['auth0-users.jsonl'], { with: older, map: SHOPS })
    expect(users.map(({ email, passwordHash }) => [email, passwordHash !== undefined])).toEqual([
      ['rosa@shop.example', true],
      ['tom@shop.example', true],
      ['mallory@shop.example', false],
    ])
  })

  it('joins metadata of Clerk, keeps authenticator apps, and names hashes that nobody can verify', async () => {
    const { users, report, told } = await convert('clerk', ['clerk-users.csv'], {
      with: 'clerk-metadata.json',
      map: { account: 'public_metadata.shop', owner: { 'public_metadata.role': ['owner'] } },
    })
    expect(users.map(({ email, role, totpSecret }) => [email, role, totpSecret])).toEqual([
      ['rosa@clerk.example', 'owner', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
      ['tom@clerk.example', 'member', undefined],
    ])
    expect(report).toContain('Without a password, until they ask for a link: hashed by md5 (1)')
    expect(report).toContain('Left out: blocked or deleted there (1), account without an owner (1)')
    expect(told).toContain('user_2fT3 is left out: account without an owner')
  })

  it('distinguishes bans of Supabase that are over from those that are not', async () => {
    const { users, report, told } = await convert('supabase', ['supabase.csv'], {
      map: { account: 'raw_app_meta_data.shop', owner: { 'raw_app_meta_data.role': ['owner'] } },
    })
    expect(users.map(({ email, role, account, name }) => [email, role, account, name])).toEqual([
      ['rosa@supabase.example', 'owner', '17', 'Rosa Winter'],
      ['tom@supabase.example', 'member', '17', undefined],
    ])
    expect(report).toContain('Could not be carried over: a login with google (1)')
    expect(told).toEqual([
      '0b1b1ad5-6a02-4b8d-9d6c-6f0f7f7d2b03 is left out: blocked or deleted there',
      '0b1b1ad5-6a02-4b8d-9d6c-6f0f7f7d2b04 is left out: no e-mail address',
    ])
  })

  it('keeps four kinds of hashes of Keycloak and the apps, and makes a second owner a member', async () => {
    const { users, report } = await convert('keycloak', ['keycloak-realm.json'], {
      map: { account: 'attributes.shop', owner: { realmRoles: ['shop-owner'] } },
    })
    expect(users.map(({ email, role }) => `${email} ${role}`)).toEqual([
      'user2@keycloak.example owner',
      'user1@keycloak.example member',
      'user3@keycloak.example member',
      'user4@keycloak.example member',
      'user5@keycloak.example member',
    ])
    // The two forms of this secret are from a page of Keycloak.
    expect(users[0]).toMatchObject({ totpSecret: 'HE4WMSTCOBKUCY2MONXFOV3QNYYUI3SH' })
    expect(report).toEqual([
      '6 users read, 5 written: 1 owner with an account each, 4 members',
      'Additional owners who became members, because an account has one owner: 1',
      'Keeping their password: argon2id (1), pbkdf2-sha256 (1), pbkdf2-sha512 (1), pbkdf2-sha1 (1)',
      'Without a password, until they ask for a link: had none there (1)',
      'Keeping their authenticator app: 1',
      'Left out: blocked or deleted there (1)',
      'Could not be carried over: a passkey (1)',
    ])
  })

  describe('of Auth0, of several records with one address', () => {
    const record = (id: string, more: object = {}) => ({
      user_id: id,
      email: 'rosa@twice.example',
      email_verified: true,
      app_metadata: { shop: 'shop-1', roles: ['admin'] },
      ...more,
    })
    const keyOf = (id: string) => ({ _id: { $oid: id }, passwordHash: BCRYPT })

    async function winnerOf(...records: object[]) {
      const path = await asLines('users.jsonl.in', records)
      const hashes = await asLines('hashes.jsonl.in', [keyOf('1'), keyOf('2')])
      return convert('auth0', [path], { with: hashes, map: SHOPS })
    }

    it('takes the one that has an account, and the account of no other', async () => {
      const { users, told } = await winnerOf(
        record('google-oauth2|9', { app_metadata: {} }),
        record('auth0|1', { name: 'Rosa' }),
      )
      expect(users).toMatchObject([{ email: 'rosa@twice.example', name: 'Rosa', account: 'shop-1' }])
      expect(told).toEqual(['google-oauth2|9 is left out: no account'])
    })

    it('prefers a verified address, then a password', async () => {
      const { users, report, told } = await winnerOf(
        record('auth0|2', { email_verified: false, name: 'Mallory' }),
        record('google-oauth2|9', { name: 'Rosa of Google' }),
        record('auth0|1', { name: 'Rosa' }),
      )
      expect(users).toMatchObject([{ name: 'Rosa', role: 'owner', passwordHash: BCRYPT }])
      expect(told).toEqual([
        'auth0|2 is left out: e-mail address of another',
        'google-oauth2|9 is left out: e-mail address of another',
      ])
      expect(report[0]).toBe('3 users read, 1 written: 1 owner with an account each, 0 members')
    })
  })

  it.each([
    [{ id: 7 }, 'account is not a whole number or text of at most 200 characters'],
    [true, 'account is not a whole number or text of at most 200 characters'],
    [2 ** 53, 'account is not a whole number or text of at most 200 characters'],
    ['a'.repeat(201), 'account is not a whole number or text of at most 200 characters'],
    [['one', 'two'], 'several accounts'],
    ['', 'no account'],
    [[], 'no account'],
  ])('leaves out users whose account is %j', async (shop, fault) => {
    const [good, bad] = [[17], shop].map((each, index) => ({
      user_id: `auth0|${index}`,
      email: `u${index}@accounts.example`,
      app_metadata: { shop: each, roles: ['admin'] },
    }))
    const path = await asLines('users.jsonl.in', [good, bad])
    const { users, told } = await convert('auth0', [path], { map: SHOPS })
    expect(users).toMatchObject([{ email: 'u0@accounts.example', account: '17' }])
    expect(told).toEqual([`auth0|1 is left out: ${fault}`])
  })

  it("takes the customer of an account from its owner's record, and names those of others (B1)", async () => {
    const record = (name: string, roles: string[], customer: unknown) => ({
      user_id: `auth0|${name}`,
      email: `${name}@payers.example`,
      app_metadata: { shop: 'payers', roles, customer },
    })
    const path = await asLines('payers.jsonl', [
      record('member', ['editor'], 'cus_other'),
      record('owner', ['admin'], 'cus_one'),
      record('same', [], 'cus_one'),
      record('none', [], ''),
    ])
    const map = { ...SHOPS, customer: 'app_metadata.customer' }
    const { users, told, report } = await convert('auth0', [path], { map })
    expect(users.map(({ email, customer }) => [email, customer])).toEqual([
      ['owner@payers.example', 'cus_one'],
      ...['member', 'same', 'none'].map(name => [`${name}@payers.example`, undefined]),
    ])
    expect(told).toContain("auth0|member has a Stripe customer that is not their owner's: see billing:adopt")
    expect(report).toContain('Could not be carried over: a Stripe customer (1)')
  })

  it('takes an empty field of CSV for no account', async () => {
    const path = join(folder, 'users.csv')
    await writeFile(path, 'id,email,shop\n1,one@csv.example,\n2,two@csv.example,north\n')
    const map = { account: 'shop', owner: { shop: ['', 'north'] } }
    const { users, told } = await convert('better-auth', [path], { map })
    expect([users.length, told]).toEqual([1, ['1 is left out: no account']])
  })

  it('leaves out members who have no satellite', async () => {
    const record = (name: string, more: object) => ({
      user_id: name,
      email: `${name}@sites.example`,
      app_metadata: { shop: 's', ...more },
    })
    const path = await asLines('users.jsonl.in', [
      record('owner', { roles: ['admin'] }),
      record('some', { sites: ['https://shop-one.example.net'] }),
      record('none', { sites: [] }),
    ])
    const map = { ...SHOPS, satellites: 'app_metadata.sites' }
    const { users, told } = await convert('auth0', [path], { map })
    expect(users.map(({ email, satellites }) => [email, satellites])).toEqual([
      ['owner@sites.example', undefined],
      ['some@sites.example', ['https://shop-one.example.net']],
    ])
    expect(told).toContain('none is left out: no satellites')
  })

  it('reads lines that end with a line feed, not with what else ends lines in some programs', async () => {
    const path = join(folder, 'users.jsonl.in')
    const user = { user_id: 'auth0|1', email: 'rosa@lines.example', given_name: 'a\u2028b\u2029c\u0085d' }
    await writeFile(path, `\ufeff${JSON.stringify(user)}\r\n`)
    expect((await convert('auth0', [path])).users).toMatchObject([{ email: 'rosa@lines.example' }])
  })

  it('leaves out banned users of Clerk, and keeps those who have failed to log in', async () => {
    const metadata = JSON.parse(await readFile(pathOf('clerk-metadata.json'), 'utf8'))
    const path = join(folder, 'metadata.json')
    await writeFile(path, JSON.stringify(metadata.map((user: object) => ({ ...user, locked: true }))))
    const { users } = await convert('clerk', ['clerk-users.csv'], { with: path })
    expect(users).toHaveLength(3)
  })

  it('names the missing hash parameters of Firebase', async () => {
    const { report } = await convert('firebase', ['firebase.json'])
    expect(report).toContain(
      'Without a password, until they ask for a link: no hash parameters given (--hash-config) (1), had none there (1)',
    )
  })

  it.each([
    ['user_metadata.role', /user_metadata.role, which users write themselves/],
    ['raw_user_meta_data.role', /which users write themselves/],
    ['unsafe_metadata', /which users write themselves/],
    ['unsafeMetadata.role', /which users write themselves/],
  ])('takes no role from %s', async (path, sentence) => {
    const map = { ...SHOPS, owner: { [path]: ['admin'] } }
    const { code, told } = await convert('auth0', ['auth0-users.jsonl'], { map })
    expect([code, told.join()]).toEqual([1, expect.stringMatching(sentence)])
  })

  it.each([
    [{ owner: {} }, /where account is/],
    [{ ...SHOPS, owners: {} }, /unknown field owners/],
    [{ ...SHOPS, owner: 'admin' }, /must give owner as/],
    [{ ...SHOPS, permissions: { everything: { a: ['b'] } } }, /unknown permission everything/],
    [{ ...SHOPS, customer: ['app_metadata.customer'] }, /must give customer as a path/],
    [{ ...SHOPS, customer: 'user_metadata.customer' }, /which users write themselves/],
  ])('refuses the mapping %j', async (map, sentence) => {
    const { code, told } = await convert('auth0', ['auth0-users.jsonl'], { map })
    expect([code, told.join()]).toEqual([1, expect.stringMatching(sentence)])
  })

  it.each([
    ['auth0', '{"email":"a@b.example","passwordHash":"$2b$10$sec', /^Line 1 of \S+ is not a JSON object$/],
    ['firebase', '{"users":"$2b$10$sec"}', /^\S+ has no list of users$/],
    ['firebase', '$2b$10$sec', /^\S+ is not JSON$/],
    ['supabase', 'a,b\n"$2b$10$sec', /^\S+ is not CSV with a header$/],
    ['supabase', 'a,b\nid,$2b$10$s"ec', /^\S+ is not CSV with a header$/],
    [
      'auth0',
      '[{"email":"a@b.example","passwordHash":"$2b$10$sec"}]',
      /^Line 1 of \S+ is not a JSON object$/,
    ],
    ['auth0', '', /^There are no users in \S+$/],
    ['supabase', 'id,email\n', /^There are no users in \S+$/],
    ['keycloak', '{"users":[]}', /^There are no users in \S+$/],
  ])('refuses an invalid file of %s, and does not quote it: %j', async (system, text, sentence) => {
    const path = join(folder, 'export')
    await writeFile(path, text)
    const { code, told } = await convert(system, [path])
    expect([code, told.join()]).toEqual([1, expect.stringMatching(sentence)])
  })

  it.each([
    ['supabase', 'id,email,raw_user_meta_data\n1,j@moved.example,"{""name"":""J\xfcrgen""}"\n'],
    ['firebase', '{"users":[{"localId":"1","email":"j@moved.example","displayName":"J\xfcrgen"}]}'],
  ])('refuses a file of %s that is not UTF-8, which would destroy names', async (system, text) => {
    const path = join(folder, 'latin1')
    await writeFile(path, text, 'latin1')
    const { code, told } = await convert(system, [path])
    expect([code, told.join()]).toEqual([1, expect.stringMatching(/^\S+ is not UTF-8$/)])
  })

  it('takes documents that begin with a byte order mark, as some editors write it', async () => {
    const withMark = async (name: string, text: string) => {
      const path = join(folder, name)
      await writeFile(path, `\uFEFF${text}`)
      return path
    }
    const users = await withMark('users.json', await readFile(pathOf('firebase.json'), 'utf8'))
    const map = await withMark(
      'map.json',
      JSON.stringify({ account: 'localId', owner: { emailVerified: [true] } }),
    )
    const { code, users: converted } = await convert('firebase', [users], { map })
    expect([code, converted.map(({ role }) => role)]).toEqual([0, ['owner', 'owner']])
  })

  it.each([
    ['supabase', 'typo.csv'],
    ['auth0', 'typo.jsonl'],
    ['firebase', 'typo.json'],
  ])('reports a missing file of %s, and creates none', async (system, name) => {
    const { code, told } = await convert(system, [join(folder, name)])
    expect([code, told.join()]).toEqual([1, expect.stringMatching(/^ENOENT/)])
    await expect(stat(join(folder, 'users.jsonl'))).rejects.toThrow('ENOENT')
  })

  it('refuses an export that it could read only once, such as a pipe', async () => {
    const { code, told } = await convert('auth0', ['/dev/null'])
    expect([code, told]).toEqual([1, ['/dev/null must be a regular file: it is read three times']])
  })

  it('writes a file for the operator alone, and never over another', async () => {
    await convert('better-auth', ['better-auth.csv'])
    const out = join(folder, 'users.jsonl')
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    const again = await runInProcess(
      ['users:convert', 'better-auth', pathOf('better-auth.csv'), '--out', out],
      {},
    )
    expect(again).toMatchObject({ code: 1, errors: expect.stringContaining('EEXIST') })
  })
})

describe('a move', () => {
  const app = anApp()

  const mainstay = (...args: string[]) =>
    runInProcess(args, { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores })
  const login = async (email: string, password: string) => {
    return outcome(await sendLogin(app, { email }, { password }))
  }
  const find = (email: string) => app.get(Users).findByEmail(email as Email)

  slow.each([
    [
      'auth0',
      ['auth0-users.jsonl'],
      { with: 'auth0-hashes.jsonl', map: SHOPS },
      'rosa@shop.example',
      PASSWORD,
    ],
    ['clerk', ['clerk-users.csv'], {}, 'ann@clerk.example', PASSWORD],
    ['supabase', ['supabase.csv'], {}, 'rosa@supabase.example', PASSWORD],
    [
      'firebase',
      ['firebase.json'],
      { 'hash-config': 'firebase-hash-config.json' },
      'rosa@firebase.example',
      FIREBASE_PASSWORD,
    ],
    ['keycloak', ['keycloak-realm.json'], {}, 'user1@keycloak.example', PASSWORD],
    ['better-auth', ['better-auth.csv'], {}, 'rosa@better.example', PASSWORD],
  ])(
    'from %s is rehearsed, made and repeated, and passwords still work',
    async (system, files, options, email, password) => {
      const { code, users } = await convert(system, files, options)
      expect(code).toBe(0)
      const out = join(folder, 'users.jsonl')
      const count = users.length
      const dry = await mainstay('users:import', '--dry-run', out)
      expect(dry).toMatchObject({
        code: 0,
        output: `Dry run, nothing was changed. ${pluralize(count, 'line')}: ${pluralize(count, 'user')} would be added, 0 already here, 0 lines at fault\n`,
      })
      expect(await find(email)).toBeNull()
      expect((await mainstay('users:import', out)).output).toContain(
        `${pluralize(count, 'user')} added, 0 already here`,
      )
      expect((await mainstay('users:import', out)).output).toContain(`0 users added, ${count} already here`)
      expect(await login(email, password)).toBe('200')
      expect(await login(email, `${password}!`)).toBe('401 INVALID_CREDENTIALS')
    },
  )

  slow('links accounts to who pays for them at Stripe already (B1)', async () => {
    const aCustomer = async () => (await app.get(Stripe).customers.create({})).id
    const payer = await aCustomer()
    const subscriptionId = await anotherSubscription(app, payer)
    const owner = { role: 'owner', passwordHash: await bcrypt(OURS, 4) }
    const lines = [
      { ...owner, email: 'rosa@paying.example', account: 'paying', customer: payer },
      { ...owner, email: 'eve@stealing.example', account: 'stealing', customer: payer },
      { ...owner, email: 'ann@unknown.example', account: 'unknown', customer: 'cus_of_live_mode' },
      { role: 'member', email: 'tom@paying.example', account: 'paying' },
    ]
    const path = await asLines('payers.jsonl', lines)
    const run = (...more: string[]) => {
      const stores = { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores }
      const args = ['users:import', ...more, path]
      return runInProcess(args, { ...stores, STRIPE_API_URL: app.sandbox.url })
    }
    const faults = [
      `Line 2 ${payer} is the customer of another account in this file`,
      'Line 3 cus_of_live_mode does not exist in acct_payment_sandbox, test mode',
    ]
    const dry = await run('--dry-run')
    expect(dry.errors.trimEnd().split('\n').slice(0, 2)).toEqual(faults)
    expect(app.sandbox.customers().find(({ id }) => id === payer)?.metadata).toEqual({})

    const first = await run()
    expect(first.errors.trimEnd().split('\n').slice(0, 2)).toEqual(faults)
    expect(first.output).toContain('2 users added')
    expect(first.output).toContain('Linked to their Stripe customers: 1 account\n')
    expect(await find('eve@stealing.example')).toBeNull()
    const rosa = await find('rosa@paying.example')
    const known = app.sandbox.customers().find(({ id }) => id === payer)
    expect(known).toMatchObject({ metadata: { accountId: rosa?.accountId }, email: rosa?.email })
    const signedIn = await signIn(app, { email: 'rosa@paying.example' as Email }, 'main')
    expect(await statusOf(app, signedIn)).toBe('active')
    expect(outcome(await subscribe(app, signedIn, { priceId: 'price_yearly' }))).toBe(
      '409 ALREADY_SUBSCRIBED',
    )

    // Again, and for somebody who comes later.
    await app.get(Stripe).customers.update(payer, { metadata: { accountId: '' } })
    await writeFile(path, JSON.stringify(lines[0]))
    expect((await run()).output).toContain('0 users added, 1 already here')
    await writeFile(path, JSON.stringify(lines[1]))
    await app.get(Stripe).customers.update(payer, { metadata: { accountId: '' } })
    const taken = `Line 1 ${payer} is the customer of another account: ${rosa?.accountId}`
    expect((await run()).errors).toContain(taken)
    await app.sandbox.simulate.cancel(subscriptionId)
  })

  slowOnServers('brings members with what their roles became', async () => {
    const { users } = await convert('keycloak', ['keycloak-realm.json'], {
      map: {
        account: 'attributes.shop',
        owner: { realmRoles: ['shop-owner'] },
        permissions: {
          viewReports: { realmRoles: ['shop-editor'] },
          dataEntry: { realmRoles: ['shop-editor'] },
        },
      },
    })
    const lines = users.map(user => JSON.stringify({ ...user, email: `moved-${user.email}` })).join('\n')
    const path = join(folder, 'moved.jsonl')
    await writeFile(path, lines)
    expect((await mainstay('users:import', path)).code).toBe(0)
    expect((await find('moved-user1@keycloak.example'))?.granted).toEqual(
      permissionsOf(['dataEntry', 'viewReports']),
    )
    expect((await find('moved-user3@keycloak.example'))?.granted).toEqual(permissionsOf([]))
  })

  slow('reports the faults of a file in a rehearsal as the import would', async () => {
    const path = join(folder, 'faulty.jsonl')
    const member = { email: 'first@faulty.example', role: 'member', account: 'faulty' }
    const owner = { email: 'second@faulty.example', role: 'owner', account: 'faulty' }
    const other = { email: 'third@faulty.example', role: 'owner', account: 'faulty' }
    const filler = Array.from({ length: 200 }, (_, index) => ({
      email: `f${index}@faulty.example`,
      role: 'owner',
    }))
    const all = [member, owner, ...filler, other, { ...owner }, ...filler.slice(0, 3)]
    await writeFile(path, all.map(line => JSON.stringify(line)).join('\n'))
    const dry = await mainstay('users:import', '--dry-run', path)
    const wet = await mainstay('users:import', path)
    expect(dry.errors).toBe(wet.errors)
    expect(dry.output).toBe(
      `Dry run, nothing was changed. ${wet.output.replace('users added', 'users would be added')}`,
    )
    expect(wet.output).toBe('207 lines: 201 users added, 4 already here, 2 lines at fault\n')
  })
})

import { describe, expect, it, test } from '@jest/globals'
import fc from 'fast-check'
import {
  blockOf,
  bucketsOf,
  clientNetworkOf,
  firstAddressOf,
  type LimitedAction,
  RATE_LIMIT_SETTINGS,
  SettingSheet,
  subnetOf,
} from '../../sources.js'

const settings = new SettingSheet({}, true).read(RATE_LIMIT_SETTINGS)

describe('clientNetworkOf', () => {
  test.each([
    ['1.2.3.4', '1.2.3.4/32'],
    ['::ffff:1.2.3.4', '1.2.3.4/32'],
    ['::FFFF:1.2.3.4', '1.2.3.4/32'],
    ['::ffff:102:304', '1.2.3.4/32'],
    ['0:0:0:0:0:ffff:0102:0304', '1.2.3.4/32'],
    ['1.2.3.4:51234', '1.2.3.4/32'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
    ['2001:0db8:0000:0001:0000:0000:0000:0001', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]:443', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]', '2001:db8:0:1::/64'],
    ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', 'unknown'],
    ['somebody', 'unknown'],
    ['1.2.3.4.5', 'unknown'],
  ])('takes %s for %s', (address, network) => {
    expect(clientNetworkOf(address)).toBe(network)
  })

  it('is the same for every address of a /64, however it is written', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 8, maxLength: 8 }),
        fc.array(group, { minLength: 4 }),
        (ip, rest) => {
          const other = [...ip.slice(0, 4), ...rest.slice(0, 4)]
          const long = ip.map(part => part.toString(16).padStart(4, '0').toUpperCase()).join(':')
          const short = new URL(`http://[${other.map(part => part.toString(16)).join(':')}]`).hostname.slice(
            1,
            -1,
          )
          // Packed IPv4 is a network of its own.
          fc.pre(!/^(0000:){5}FFFF/.test(long) && !short.startsWith('::ffff:'))
          expect(clientNetworkOf(short)).toBe(clientNetworkOf(long))
        },
      ),
    )
  })

  it('tells every IPv4 address from every other', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), (one, other) => {
        expect(clientNetworkOf(one) === clientNetworkOf(other)).toBe(one === other)
        expect(clientNetworkOf(`::ffff:${one}`)).toBe(clientNetworkOf(one))
      }),
    )
  })
})

test.each([
  ['2001:db8:1:23ff::9', '2001:db8:1:2300::/56'],
  ['2001:db8:1:2300::1', '2001:db8:1:2300::/56'],
  ['2001:db8:1:2400::1', '2001:db8:1:2400::/56'],
  ['::ffff:1.2.3.4', null],
  ['1.2.3.4', null],
  ['somebody', null],
])('blockOf takes %s for %s', (address, block) => {
  expect(blockOf(address)).toBe(block)
})

test('known clients are looked for in the subnet that has a counter', () => {
  const keyOf = (ip: string) =>
    bucketsOf(
      { kind: 'password', subject: '', client: { requestId: '', ip, userAgent: null, origin: null } },
      settings,
    ).find(({ scope }) => scope === 'account and subnet')?.key
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), ip =>
      expect(keyOf(ip)).toBe(keyOf(firstAddressOf(subnetOf(ip)))),
    ),
  )
})

describe('bucketsOf', () => {
  const client = { requestId: '', ip: '203.0.113.7', userAgent: null, origin: 'https://shop-one.test' }
  const attempt: LimitedAction = { kind: 'password', subject: 'who@example.com', client }

  const ofSite = { ...client, ip: '2001:db8:0:1::7' }

  function limits(difference: Partial<LimitedAction> = {}) {
    return bucketsOf({ ...attempt, ...difference }, settings).map(
      ({ scope, max: most, counts, refuses }) => `${scope}: ${most} ${counts}, ${refuses}`,
    )
  }

  function sharedBy(one: LimitedAction, other: LimitedAction): string[] {
    const keys = new Set(bucketsOf(other, settings).map(({ key }) => key))
    return bucketsOf(one, settings)
      .filter(({ key, counts }) => keys.has(key) && counts !== 'right')
      .map(({ scope }) => scope)
  }

  it('security H3: counts a password by who is near the account; what all share refuses nobody', () => {
    expect(limits()).toEqual([
      'account and network: 10 wrong, everybody',
      'account and subnet: 25 wrong, everybody',
      'account: 50 wrong, strangers',
      'network: 100 wrong, strangers',
      'origin: 1000 wrong, nobody',
      'total: 10000 wrong, nobody',
      'account and network: 60 right, everybody',
      'account and subnet: 240 right, everybody',
      'account: 60 right, strangers',
      'network: 600 right, strangers',
    ])
  })

  it('security H3: counts IPv6 by /64, /56 and /48, none of which has all that an account has', () => {
    expect(limits({ client: ofSite })).toEqual([
      'account and network: 10 wrong, everybody',
      'account and block: 15 wrong, everybody',
      'account and subnet: 25 wrong, everybody',
      'account: 50 wrong, strangers',
      'network: 100 wrong, strangers',
      'block: 200 wrong, strangers',
      'subnet: 400 wrong, strangers',
      'origin: 1000 wrong, nobody',
      'total: 10000 wrong, nobody',
      'account and network: 60 right, everybody',
      'account and block: 120 right, everybody',
      'account and subnet: 240 right, everybody',
      'account: 60 right, strangers',
      'network: 600 right, strangers',
      'block: 1200 right, strangers',
      'subnet: 2400 right, strangers',
    ])
  })

  it('counts a mailed link by where it comes from', () => {
    expect(limits({ kind: 'link', subject: '' })).toEqual([
      'network: 100 wrong, strangers',
      'origin: 1000 wrong, nobody',
      'total: 10000 wrong, nobody',
    ])
  })

  it('leaves one network half of the mails to an address', () => {
    expect(limits({ kind: 'mail' }).slice(0, 4)).toEqual([
      'account and network: 3 all, everybody',
      'account and subnet: 4 all, everybody',
      'account: 6 all, strangers',
      'network: 50 all, strangers',
    ])
  })

  it('security H3: counts mails of who is logged in by no network, origin or total', () => {
    const actor = { userId: 'rosa', accountId: 'shop-17' }
    expect(limits({ kind: 'sent mail', actor })).toEqual([
      'user: 6 all, everybody',
      'user: 50 all, everybody',
      'account: 3 all, everybody',
      'account: 200 all, everybody',
    ])
  })

  it('security L6: takes all that is behind a plus for one mailbox, of mails alone', () => {
    const tagged = { ...attempt, subject: 'who+anything@example.com' }
    expect(sharedBy({ ...attempt, kind: 'mail' }, { ...tagged, kind: 'mail' })).toContain('account')
    expect(sharedBy(attempt, tagged)).not.toContain('account')
  })

  it.each<[string, LimitedAction, string[]]>([
    [
      'another network',
      { ...attempt, client: { ...client, ip: '198.51.100.7' } },
      ['account', 'origin', 'total'],
    ],
    [
      'the house next door',
      { ...attempt, client: { ...client, ip: '203.0.113.8' } },
      ['account and subnet', 'account', 'origin', 'total'],
    ],
    ['another account', { ...attempt, subject: 'other@example.com' }, ['network', 'origin', 'total']],
    [
      'another origin',
      { ...attempt, client: { ...client, origin: null } },
      ['account and network', 'account and subnet', 'account', 'network', 'total'],
    ],
    ['another kind', { ...attempt, kind: 'mail' }, []],
  ])('shares with %s what they have in common', (_, other, shared) => {
    expect(sharedBy(attempt, other)).toEqual(shared)
  })

  it('writes no e-mail address into a key', () => {
    for (const { key } of bucketsOf(attempt, settings)) expect(key).not.toMatch(/who|example|203/)
  })
})

import { describe, expect, it } from '@jest/globals'
import { aSession, wholeSecondNow } from '../../contracts/a-session.js'
import {
  authMethods,
  changesOf,
  decodeSession,
  encodeSession,
  encodeStamp,
  handleOf,
  markerKey,
  mergeChanges,
  NO_CHANGES,
  newSessionId,
  PARTITIONS,
  partitionOf,
  permissionsOf,
  type Session,
  type SessionForm,
  type SessionHandle,
  secondsAfter,
  sessionKey,
  sidOfKey,
  sizeOf,
} from '../../sources.js'

function hashOf(session: Session, form: SessionForm): Record<string, string> {
  const flat = encodeSession(session, form)
  return Object.fromEntries(
    flat.flatMap((name, index) => (index % 2 ? [] : [[name, flat[index + 1] as string]])),
  )
}

describe('a session in Redis', () => {
  const now = wholeSecondNow()
  it.each<[string, Partial<Session>, string]>([
    ['at its login, with a password', {}, 'acegilopsu'],
    ['without origin and user agent', { origin: null, userAgent: null }, 'aceilpsu'],
    ['re-authenticated', { reauthenticatedAt: now }, 'acegiloprsu'],
    ['with two factors', { amr: authMethods('pwd', 'otp') }, 'acegilmopsu'],
    ['with what proves nothing', { amr: authMethods() }, 'acegilmopsu'],
    ['proved since', { authTime: secondsAfter(now, 1) }, 'acegilopstu'],
    ['voided', { authTime: new Date(0) }, 'acegilopstu'],
    ['of a satellite', { source: 'satellite', permissions: permissionsOf(['viewReports']) }, 'acegilopsu'],
  ])('%s comes back whole, and has only the fields that it needs', (_, overrides, fields) => {
    const session = aSession({ createdAt: now, ...overrides })
    for (const [form, without] of [
      ['long', ''],
      ['compact', 'ac'],
    ] as const) {
      const hash = hashOf(session, form)
      expect(decodeSession(session.sid, hash)).toEqual(session)
      expect(Object.keys(hash).sort().join('')).toBe(fields.replace(without, ''))
    }
  })

  it('is what the release before has written', () => {
    const sid = handleOf(newSessionId())
    expect(
      decodeSession(sid, {
        u: 'AAECAwQFRgeICQoLDA0ODw',
        a: '_____________________w',
        s: 'm',
        p: '25',
        i: '203.0.113.7',
        c: '1800000000',
        l: '1800000060',
        e: '1802592000',
      }),
    ).toEqual({
      sid,
      userId: '00010203-0405-4607-8809-0a0b0c0d0e0f',
      accountId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      source: 'main',
      permissions: permissionsOf(['payments', 'dataEntry', 'viewReports']),
      origin: null,
      ip: '203.0.113.7',
      userAgent: null,
      createdAt: new Date(1_800_000_000_000),
      lastUsed: new Date(1_800_000_060_000),
      expiresAt: new Date(1_802_592_000_000),
      reauthenticatedAt: null,
      amr: authMethods('pwd'),
      authTime: new Date(1_800_000_000_000),
    })
  })

  it('is, in the compact form, both ids and its login in one field, and little of the rest', () => {
    const session = aSession({
      userId: '00010203-0405-4607-8809-0a0b0c0d0e0f',
      accountId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      createdAt: new Date(1_800_000_000_000),
      origin: 'https://shop-one.example.net',
      userAgent: '(Windows NT 10.0; Win64; x64) Chrome/131.0.0.0',
    })
    expect(hashOf(session, 'compact')).toMatchObject({
      u: 'AAECAwQFRgeICQoLDA0OD_____________________8tro8w0',
      o: '/shop-one.example.net',
      g: '\x01\x0d131\x0e',
    })
  })

  it('has its user agent as a text in the long form, which the release before reads', () => {
    const userAgent = '(Windows NT 10.0; Win64; x64) Chrome/131.0.0.0'
    expect(hashOf(aSession({ userAgent }), 'long')).toMatchObject({ g: userAgent })
  })

  it.each(['http://localhost:3000', 'null', 'capacitor://localhost', 'https://a.test:8443'])(
    'keeps the origin %s in the compact form',
    origin => {
      const session = aSession({ createdAt: now, origin })
      expect(decodeSession(session.sid, hashOf(session, 'compact'))).toEqual(session)
    },
  )

  it('lies under its handle, in one of 4,096 partitions', () => {
    const { sid } = aSession()
    expect(sessionKey(sid)).toBe(`session:{${sid.slice(0, 2)}}:${sid}`)
    expect(sidOfKey(sessionKey(sid))).toBe(sid)
    expect(PARTITIONS).toContain(partitionOf(sid))
    expect(new Set(PARTITIONS).size).toBe(64 * 64)
    expect(markerKey('ab')).toBe('changes-applied:{ab}')
  })

  it('is stamped in whole seconds', () => {
    const stamp = { at: new Date(1_800_000_000_999), methods: authMethods('pwd', 'otp') }
    expect(encodeStamp({ ...stamp, movesAuthTime: true })).toEqual(['1800000000', String(stamp.methods), '1'])
    expect(encodeStamp({ ...stamp, movesAuthTime: false })[2]).toBe('0')
  })
})

describe('changes', () => {
  const [a, b, c] = ['a', 'b', 'c'] as unknown as [SessionHandle, SessionHandle, SessionHandle]
  const granted = permissionsOf([])
  const changes = {
    ended: [a, b],
    grants: [
      { version: 1, granted, sids: [a, c] },
      { version: 2, granted, sids: [b] },
    ],
  }

  it('are divided by session, and a grant that concerns none is left out', () => {
    expect(changesOf(changes, sid => sid !== b)).toEqual({
      ended: [a],
      grants: [{ version: 1, granted, sids: [a, c] }],
    })
    expect(changesOf(changes, () => false)).toEqual(NO_CHANGES)
  })

  it('are put together in their order, and counted', () => {
    const more = { ended: [c], grants: [{ version: 3, granted, sids: [c] }] }
    expect(mergeChanges(changes, more)).toEqual({
      ended: [a, b, c],
      grants: [...changes.grants, ...more.grants],
    })
    expect([sizeOf(changes), sizeOf(more), sizeOf(NO_CHANGES)]).toEqual([5, 2, 0])
  })
})

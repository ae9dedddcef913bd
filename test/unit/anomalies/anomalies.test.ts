import { describe, expect, it } from '@jest/globals'
import {
  ANOMALY_SETTINGS,
  actionsFor,
  addressFamily,
  anomalyPolicy,
  type ClientLocation,
  firstAddressOf,
  type Location,
  loginAnomaly,
  refreshAnomaly,
  secondsAfter,
  subnetOf,
  type Use,
} from '../../sources.js'

const DEFAULT_POLICY = anomalyPolicy(ANOMALY_SETTINGS.anomalyPolicy.default)
const NOW = new Date('2026-11-21T12:00:00Z')
const ZURICH: Location = { latitude: 47.3769, longitude: 8.5417, accuracyKm: 20 }
const BERN: Location = { latitude: 46.948, longitude: 7.4474, accuracyKm: 20 }
const NEW_YORK: Location = { latitude: 40.7128, longitude: -74.006, accuracyKm: 20 }

const WINDOWS = '(Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36'
const WINDOWS_NEXT_VERSION = '(Windows NT 10.0; Win64; x64) Chrome/141.0.0.0 Safari/537.36'
const MAC = '(Macintosh; Intel Mac OS X 10_15_7) Chrome/140.0.0.0 Safari/537.'

const HOME = '203.0.113.7'
const NEXT_DOOR = '203.0.113.99'
const MOBILE = '198.51.100.7'
const MOBILE_V6 = '2001:db8:1:2::7'
const MOBILE_V6_LATER = '2001:db8:1:ffff::9'

describe('subnetOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['::FFFF:203.0.113.7', '203.0.113.0/24'],
    ['::ffff:cb00:7107', '203.0.113.0/24'],
    ['2001:db8:1:2::7', '2001:db8:1::/48'],
    ['2001:0DB8:0001:0002:0000:0000:0000:0007', '2001:db8:1::/48'],
    ['2001:db8::7', '2001:db8:0::/48'],
    ['2001:db8:0:ffff::7', '2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['::1', '0:0:0::/48'],
    ['203.0.113.7:51234', '203.0.113.0/24'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
  ])('of %s is %s', (ip, network) => {
    expect(subnetOf(ip)).toBe(network)
    expect(addressFamily(network)).toBe(addressFamily(subnetOf(firstAddressOf(network))))
  })

  it.each([
    ['203.0.113.7', 4],
    ['::ffff:203.0.113.7', 4],
    ['203.0.113.0/24', 4],
    ['2001:db8:1::/48', 6],
    ['2001:db8::1', 6],
    ['unknown', null],
  ])('the family of %s is %s', (ip, family) => {
    expect(addressFamily(ip)).toBe(family)
  })
})

describe('a login', () => {
  const sighting = (ip: string, place: Location | null, hoursAgo = 0): ClientLocation => ({
    ip,
    place,
    at: secondsAfter(NOW, -3600 * hoursAgo),
  })
  const knows = (device: boolean, network: boolean, deviceId = true) => ({ device, network, deviceId })

  it.each<[string, Parameters<typeof loginAnomaly>, number, string[]]>([
    ['is nothing unusual the first time', [null, null, sighting(HOME, ZURICH)], 0, []],
    ['from what is known', [knows(true, true), sighting(HOME, ZURICH), sighting(HOME, ZURICH)], 0, []],
    [
      'from a new device',
      [knows(false, true), sighting(HOME, null), sighting(HOME, null)],
      40,
      ['new device'],
    ],
    [
      'security M6: with another device id where it usually is',
      [knows(true, true, false), sighting(HOME, null), sighting(HOME, null)],
      0,
      [],
    ],
    [
      'security M6: with another device id from a new network',
      [knows(true, false, false), sighting(HOME, null), sighting(MOBILE, null)],
      40,
      ['new network', 'new device id'],
    ],
    [
      'security M6: with another device id of a new kind, which counts for both',
      [knows(false, false, false), sighting(HOME, null), sighting(MOBILE, null)],
      60,
      ['new device', 'new network'],
    ],
    [
      'from a new network',
      [knows(true, false), sighting(HOME, null), sighting(MOBILE, null)],
      20,
      ['new network'],
    ],
    [
      'from a new network of the other family',
      [knows(true, false), sighting(HOME, null), sighting(MOBILE_V6, null)],
      25,
      ['new network', 'changed address family'],
    ],
    [
      'from a new device far away, an hour later',
      [knows(false, false), sighting(HOME, ZURICH, 1), sighting(MOBILE_V6, NEW_YORK)],
      100,
      ['new device', 'new network', 'changed address family', 'impossible speed'],
    ],
    [
      'from a new network far away, the next day',
      [knows(true, false), sighting(HOME, ZURICH, 24), sighting(MOBILE, NEW_YORK)],
      20,
      ['new network'],
    ],
    [
      'from a network that is known, however far',
      [knows(true, true), sighting(HOME, ZURICH, 1), sighting(MOBILE_V6, NEW_YORK)],
      0,
      [],
    ],
    [
      'from a new network of a user whose networks were forgotten',
      [knows(true, false), null, sighting(MOBILE, NEW_YORK)],
      20,
      ['new network'],
    ],
  ])('%s', (_, login, score, reasons) => {
    expect(loginAnomaly(...login)).toEqual({ score, reasons })
  })
})

describe('a use of a session', () => {
  const use = (ip: string, change: Partial<Use> = {}): Use => ({
    ip,
    userAgent: WINDOWS,
    place: null,
    at: NOW,
    ...change,
  })
  const hoursAgo = (hours: number) => secondsAfter(NOW, -3600 * hours)

  it.each<[string, Use, Use, number, string[]]>([
    ['from the same place', use(HOME), use(HOME), 0, []],
    ['from the same network', use(HOME), use(NEXT_DOOR), 0, []],
    ['from another address of the same site', use(MOBILE_V6), use(MOBILE_V6_LATER), 0, []],
    ['after an update of the browser', use(HOME), use(HOME, { userAgent: WINDOWS_NEXT_VERSION }), 0, []],
    ['from another network', use(HOME), use(MOBILE), 10, ['changed network']],
    ['after Wi-Fi to mobile', use(HOME), use(MOBILE_V6), 15, ['changed network', 'changed address family']],
    ['from another kind of device', use(HOME), use(HOME, { userAgent: MAC }), 50, ['changed user agent']],
    ['by a client that says nothing', use(HOME), use(HOME, { userAgent: null }), 50, ['changed user agent']],
    [
      'from another kind of device on another network',
      use(HOME),
      use(MOBILE, { userAgent: MAC }),
      60,
      ['changed user agent', 'changed network'],
    ],
    [
      'through a tunnel',
      use(HOME, { place: ZURICH, at: hoursAgo(0.25) }),
      use(MOBILE, { place: NEW_YORK }),
      45,
      ['changed network', 'impossible speed'],
    ],
    [
      'from everything else at once',
      use(HOME, { place: ZURICH }),
      use(MOBILE_V6, { place: NEW_YORK, userAgent: MAC }),
      100,
      ['changed user agent', 'changed network', 'changed address family', 'impossible speed'],
    ],
    // 6,324 km, less 20 at each end.
    [
      'just faster than anybody travels',
      use(HOME, { place: ZURICH, at: hoursAgo(6.28) }),
      use(MOBILE, { place: NEW_YORK }),
      45,
      ['changed network', 'impossible speed'],
    ],
    [
      'as fast as somebody may travel',
      use(HOME, { place: ZURICH, at: hoursAgo(6.29) }),
      use(MOBILE, { place: NEW_YORK }),
      10,
      ['changed network'],
    ],
    [
      'with a clock that went back',
      use(HOME, { place: ZURICH, at: hoursAgo(-1) }),
      use(MOBILE, { place: ZURICH }),
      10,
      ['changed network'],
    ],
    [
      'at once, nearer than the places are known exactly',
      use(HOME, { place: { ...ZURICH, accuracyKm: 60 } }),
      use(MOBILE, { place: { ...BERN, accuracyKm: 60 } }),
      10,
      ['changed network'],
    ],
    [
      'at once, farther than the places are known exactly',
      use(HOME, { place: ZURICH }),
      use(MOBILE, { place: BERN }),
      45,
      ['changed network', 'impossible speed'],
    ],
    ['from where is not known', use(HOME, { place: ZURICH }), use(MOBILE), 10, ['changed network']],
  ])('%s', (_, before, now, score, reasons) => {
    expect(refreshAnomaly(before, now)).toEqual({ score, reasons })
  })
})

describe('ANOMALY_POLICY', () => {
  it.each([
    ['notify:40,reauthenticate:60,revoke:90', { log: 1, notify: 40, reauthenticate: 60, revoke: 90 }],
    [' revoke:100 , notify:1 ', { log: 1, notify: 1, revoke: 100 }],
    ['log:30', { log: 30 }],
  ])('reads %s', (text, policy) => {
    expect(anomalyPolicy(text)).toEqual(policy)
  })

  it.each([
    'warn:40',
    'notify',
    'notify:',
    'notify:0',
    'notify:101',
    'notify:4x',
    'notify:40:50',
    'notify:-1',
  ])('refuses %s', text => {
    expect(() => anomalyPolicy(text)).toThrow('must list steps such as notify:40')
  })

  it('refuses an action that is there twice', () => {
    expect(() => anomalyPolicy('notify:40,notify:50')).toThrow('names an action twice')
  })

  it.each([
    [0, []],
    [1, ['log']],
    [39, ['log']],
    [40, ['log', 'notify']],
    [89, ['log', 'notify', 'reauthenticate']],
    [90, ['log', 'notify', 'reauthenticate', 'revoke']],
  ])('has for a score of %s: %j', (score, actions) => {
    expect([...actionsFor(score, anomalyPolicy('notify:40,reauthenticate:60,revoke:90'))]).toEqual(actions)
  })

  it('logs whatever is done', () => {
    expect([...actionsFor(20, anomalyPolicy('log:30,notify:20'))]).toEqual(['log', 'notify'])
    expect([...actionsFor(19, anomalyPolicy('log:30,notify:20'))]).toEqual([])
  })

  it.each([15, 45, 50])('only logs a score of %s unless told otherwise', score => {
    expect([...actionsFor(score, DEFAULT_POLICY)]).toEqual(['log'])
  })

  it('never ends a session unless told to', () => {
    expect([...actionsFor(100, DEFAULT_POLICY)]).toEqual(['log', 'notify', 'reauthenticate'])
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ConsoleLogger } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import {
  distanceKm,
  formatLocation,
  GeoIp,
  GeoIpModule,
  type Location,
  type Settings,
  SettingsModule,
} from '../../sources.js'
import { cityRecord, mmdbFile } from '../../support/mmdb-file.js'

const ZURICH = cityRecord('Zürich', 'Switzerland', 47.3769, 8.5417)
const NEW_YORK = cityRecord('New York', 'United States', 40.7128, -74.006, 5)

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-places-'))
  file = join(folder, 'places.mmdb')
})
afterAll(() => rm(folder, { recursive: true }))

async function load(content: Buffer | string): Promise<GeoIp> {
  await writeFile(file, content)
  return GeoIp.load(file)
}

describe('the place of an address', () => {
  const NETWORKS = {
    '203.0.113.0/24': ZURICH,
    '198.51.100.64/26': NEW_YORK,
    '2001:db8:1:0:0:0:0:0/48': NEW_YORK,
    '192.0.2.0/25': { country: { names: { en: 'Switzerland' } } },
    '192.0.2.128/26': { country: { iso_code: 'CH' }, location: { latitude: 46.9, longitude: 7.4 } },
    '192.0.2.192/26': { location: { latitude: 1.5, longitude: 2.5 } },
  }

  it.each([
    ['203.0.113.7', 'Zürich, Switzerland'],
    ['198.51.100.64', 'New York, United States'],
    ['198.51.100.127', 'New York, United States'],
    ['198.51.100.128', null],
    ['2001:db8:1:ffff::1', 'New York, United States'],
    ['2001:db8:2::1', null],
    ['127.0.0.1', null],
    ['::1', null],
    ['192.0.2.1', null],
    ['192.0.2.129', 'Switzerland'],
    ['192.0.2.193', null],
    ['unknown', null],
    ['203.0.113.7:8080', null],
    ['', null],
  ])('of %s is %s', async (ip, words) => {
    expect(formatLocation((await load(mmdbFile(NETWORKS))).locate(ip), 'en')).toBe(words)
  })

  it('has coordinates, and how far off they may be', async () => {
    const places = await load(mmdbFile(NETWORKS))
    expect(places.locate('198.51.100.100')).toEqual({
      city: { en: 'New York' },
      country: { names: { en: 'United States' } },
      latitude: 40.7128,
      longitude: -74.006,
      accuracyKm: 5,
    })
    expect(places.locate('192.0.2.193')).toEqual({ latitude: 1.5, longitude: 2.5, accuracyKm: 100 })
    expect(places.locate('192.0.2.1')).toBeNull()
  })

  it('is not read from a file of IPv4 for an IPv6 address', async () => {
    const places = await load(mmdbFile({ '32.1.13.0/24': ZURICH }, { ipVersion: 4 }))
    expect(formatLocation(places.locate('32.1.13.1'), 'en')).toBe('Zürich, Switzerland')
    expect(places.locate('2001:d00::1')).toBeNull()
  })

  it('is not known without a file', () => {
    expect(GeoIp.load(null).locate('203.0.113.7')).toBeNull()
  })
})

describe('a file that cannot be used is refused at start', () => {
  it.each([
    ['is not there', () => join(folder, 'nowhere.mmdb'), 'ENOENT'],
    ['is a folder', () => folder, 'EISDIR'],
  ])('one that %s', (_, path, reason) => {
    expect(() => GeoIp.load(path())).toThrow(`GEOIP_FILE ${path()} cannot be used: ${reason}`)
  })

  const WHOLE = mmdbFile({ '203.0.113.0/24': ZURICH })
  const NOT_WHOLE = 'it is not a whole MMDB file'
  it.each<[string, Buffer | string, string]>([
    ['is empty', '', NOT_WHOLE],
    ['is something else', 'network,city\n203.0.113.0/24,Zürich\n', NOT_WHOLE],
    ['was cut off', WHOLE.subarray(0, WHOLE.length - 200), NOT_WHOLE],
    ['lost its beginning', WHOLE.subarray(500), NOT_WHOLE],
    [
      'is not of cities',
      mmdbFile({ '203.0.113.0/24': ZURICH }, { databaseType: 'GeoLite2-ASN' }),
      'it is not a database of cities but "GeoLite2-ASN"',
    ],
  ])('one that %s', async (_, content, reason) => {
    await expect(load(content)).rejects.toThrow(`GEOIP_FILE ${file} cannot be used: ${reason}`)
  })
})

it('a service whose file cannot be used does not start', async () => {
  const settings = { geoIpFile: join(folder, 'nowhere.mmdb') } as Settings
  const service = Test.createTestingModule({ imports: [SettingsModule.with(settings), GeoIpModule] })
  await expect(service.setLogger(new ConsoleLogger({ logLevels: [] })).compile()).rejects.toThrow(
    'GEOIP_FILE',
  )
})

describe('a place in words', () => {
  const SOMEWHERE = { latitude: 0, longitude: 0, accuracyKm: 1 }
  const city = { en: 'Geneva', de: 'Genf' }
  const country = { code: 'CH', names: { en: 'Switzerland', de: 'Schweiz' } }
  it.each<[string, Location | null, string | null, string | null]>([
    ['with both names', { ...SOMEWHERE, city, country }, 'Geneva, Switzerland', 'Genf, Schweiz'],
    ['of a country', { ...SOMEWHERE, country }, 'Switzerland', 'Schweiz'],
    ['of a city', { ...SOMEWHERE, city }, 'Geneva', 'Genf'],
    [
      'with English names and the code of the country',
      { ...SOMEWHERE, city: { en: 'Zug' }, country: { code: 'CH', names: { en: 'Switzerland' } } },
      'Zug, Switzerland',
      'Zug, Schweiz',
    ],
    ['with the code alone', { ...SOMEWHERE, country: { code: 'CH', names: {} } }, 'Switzerland', 'Schweiz'],
    ['with a code of nowhere', { ...SOMEWHERE, country: { code: 'QQ', names: {} } }, null, null],
    [
      'without the code',
      { ...SOMEWHERE, country: { names: { en: 'Switzerland' } } },
      'Switzerland',
      'Switzerland',
    ],
    ['without a name', SOMEWHERE, null, null],
    ['that is unknown', null, null, null],
  ])('%s', (_, place, english, german) => {
    expect([formatLocation(place, 'en'), formatLocation(place, 'de')]).toEqual([english, german])
  })
})

describe('distanceKm', () => {
  const at = (latitude: number, longitude: number) => ({ latitude, longitude, accuracyKm: 0 })
  it.each([
    [at(47.3769, 8.5417), at(47.3769, 8.5417), 0],
    [at(47.3769, 8.5417), at(40.7128, -74.006), 6_324],
    [at(47.3769, 8.5417), at(-33.8688, 151.2093), 16_568],
    // Across the date line, and to the other side of the earth.
    [at(0, 179.5), at(0, -179.5), 111],
    [at(0, 0), at(0, 180), 20_015],
    [at(90, 0), at(-90, 123), 20_015],
  ])('of %j and %j', (from, to, km) => {
    expect(Math.abs(distanceKm(from, to) - km)).toBeLessThan(Math.max(1, km * 0.005))
    expect(distanceKm(to, from)).toBeCloseTo(distanceKm(from, to))
  })
})

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { Module } from '@nestjs/common'
import { type CityResponse, Reader } from 'mmdb-lib'
import { Settings } from './config/settings.js'
import { causeMessage, StartError } from './errors/api-error.js'
import { Logger } from './log.js'

type Names = Readonly<Record<string, string>>

/** An approximate place on earth. */
export interface Location {
  /** By language. */
  readonly city?: Names
  readonly country?: {
    /** ISO 3166-1; a database may have names without it. */
    readonly code?: string
    /** By language. */
    readonly names: Names
  }
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  /** How far from these coordinates it may really be. */
  readonly accuracyKm: number
}

/**
 * `Zürich, Switzerland` in a language (its BCP 47 tag), or in English where the database has no name in it; null when the
 * place is unknown or has no name.
 */
export function formatLocation(place: Location | null, language: string): string | null {
  const city = place?.city?.[language] ?? place?.city?.en
  return [city, countryName(place?.country, language)].filter(Boolean).join(', ') || null
}

function countryName(country: Location['country'], language: string): string | undefined {
  if (!country) return undefined
  const { code, names } = country
  return names[language] ?? regionName(code, language) ?? names.en
}

/** Undefined unless it is a country's code. */
function regionName(code: string | undefined, language: string): string | undefined {
  if (!code || !/^[A-Z]{2}$/.test(code)) return undefined
  return new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code)
}

const EARTH_RADIUS_KM = 6_371

/** Along the surface (haversine). */
export function distanceKm(from: Location, to: Location): number {
  const [north, east] = [radians(to.latitude - from.latitude), radians(to.longitude - from.longitude)]
  const chord =
    Math.sin(north / 2) ** 2 +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * Math.sin(east / 2) ** 2
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}

/** For files that do not say: a town and its surroundings. */
const DEFAULT_ACCURACY_KM = 100
/** The names of MaxMind's and DB-IP's city databases; those of countries or providers have no coordinates. */
const WITH_CITIES = /city|enterprise|insights/i
const SEPARATOR_BYTES = 16
const NOT_WHOLE = 'it is not a whole MMDB file'

/** Where in the world an address is used, according to a city database in a file. Makes no network requests. */
export class GeoIp {
  private readonly logger = new Logger('GeoIp')

  private constructor(private readonly reader: Reader<CityResponse> | null) {}

  /** Reads the whole file into memory; throws an Error that names it. With null, no place is ever known. */
  static load(file: string | null): GeoIp {
    if (file === null) return new GeoIp(null)
    try {
      return new GeoIp(cityReader(readFileSync(file)))
    } catch (cause) {
      throw new StartError(`GEOIP_FILE ${file} cannot be used: ${causeMessage(cause)}`, { cause })
    }
  }

  /**
   * The place of an address; null when the file does not know it, there is no file, or the text is not an
   * address.
   */
  locate(ip: string): Location | null {
    if (!this.reader || !this.covers(ip)) return null
    try {
      return toLocation(this.reader.get(ip))
    } catch (error) {
      // A bad record is no reason to refuse a login.
      this.logger.warn(`GEOIP_FILE has a record that cannot be read: ${causeMessage(error)}`)
      return null
    }
  }

  /** In an IPv4 tree an IPv6 address would lead to another address's place. */
  private covers(ip: string): boolean {
    const family = isIP(ip)
    return family !== 0 && family <= (this.reader?.metadata.ipVersion ?? 0)
  }
}

function cityReader(file: Buffer): Reader<CityResponse> {
  const reader = openReader(file)
  const { databaseType, searchTreeSize } = reader.metadata
  if (!WITH_CITIES.test(databaseType)) throw new Error(`it is not a database of cities but "${databaseType}"`)
  if (searchTreeSize + SEPARATOR_BYTES > file.length) throw new Error(NOT_WHOLE)
  return reader
}

function openReader(file: Buffer): Reader<CityResponse> {
  try {
    return new Reader<CityResponse>(file)
  } catch (cause) {
    throw new Error(NOT_WHOLE, { cause })
  }
}

function toLocation(record: CityResponse | null): Location | null {
  const { latitude, longitude, accuracy_radius: accuracyKm } = record?.location ?? {}
  if (latitude === undefined || longitude === undefined) return null
  const city = record?.city?.names
  const { iso_code: code, names = {} } = record?.country ?? {}
  return {
    ...(city && { city: { ...city } }),
    ...((code || Object.keys(names).length > 0) && {
      country: { ...(code && { code }), names: { ...names } },
    }),
    latitude,
    longitude,
    accuracyKm: accuracyKm ?? DEFAULT_ACCURACY_KM,
  }
}

@Module({
  providers: [
    { provide: GeoIp, inject: [Settings], useFactory: ({ geoIpFile }: Settings) => GeoIp.load(geoIpFile) },
  ],
  exports: [GeoIp],
})
export class GeoIpModule {}

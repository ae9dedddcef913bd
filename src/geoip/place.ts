/** An approximate place on earth. */
export interface Location {
  /** In English. */
  readonly city?: string
  /** In English. */
  readonly country?: string
  /** Degrees. */
  readonly latitude: number
  readonly longitude: number
  /** How far from these coordinates it may really be. */
  readonly accuracyKm: number
}

/** `Zürich, Switzerland`; null when the place is unknown or has no name. */
export function formatLocation(place: Location | null): string | null {
  return [place?.city, place?.country].filter(Boolean).join(', ') || null
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

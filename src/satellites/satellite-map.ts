import type { Satellite } from './satellite.js'

/** A suspended one stays in the map, so that no pattern and no list opens its origin meanwhile. */
export interface KnownSatellite extends Satellite {
  readonly isSuspended: boolean
}

/** Satellites by their origin; those of previews by what comes after the left-most label. */
export class SatelliteMap {
  private readonly byOrigin = new Map<string, KnownSatellite>()
  private readonly previews = new Map<string, Map<string, KnownSatellite>>()

  get size(): number {
    return this.byOrigin.size
  }

  /**
   * The active satellite that a page of this origin belongs to; null when there is none. A name wins over a
   * pattern.
   */
  find(origin: string): Satellite | null {
    // A pattern is no origin, whatever somebody sends.
    if (origin.includes('*')) return null
    const known = this.byOrigin.get(origin) ?? (this.previews.size > 0 ? this.findPreview(origin) : null)
    return known?.isSuspended ? null : known
  }

  set(satellite: KnownSatellite): void {
    const { origin } = satellite
    this.byOrigin.set(origin, satellite)
    if (!origin.includes('*')) return
    const parent = parentOf(origin)
    const patterns = this.previews.get(parent) ?? new Map<string, KnownSatellite>()
    this.previews.set(parent, patterns.set(origin, satellite))
  }

  /** Removes the origin if it is still this satellite's; returns whether it was. */
  remove(origin: string, id: string): boolean {
    if (this.byOrigin.get(origin)?.id !== id) return false
    this.byOrigin.delete(origin)
    const parent = parentOf(origin)
    const patterns = this.previews.get(parent)
    patterns?.delete(origin)
    if (patterns?.size === 0) this.previews.delete(parent)
    return true
  }

  /**
   * Of several patterns the longest; among equals the first of the alphabet, so that all replicas say the
   * same.
   */
  private findPreview(origin: string): KnownSatellite | null {
    let best: KnownSatellite | null = null
    for (const [pattern, satellite] of this.previews.get(parentOf(origin)) ?? [])
      if (matchesLabel(origin, pattern) && (!best || comesBefore(pattern, best.origin))) best = satellite
    return best
  }
}

/** `example.com` of `https://shop.example.com`: what is below the left-most label. */
export function parentOf(origin: string): string {
  return origin.slice(origin.indexOf('.') + 1)
}

function comesBefore(pattern: string, other: string): boolean {
  return pattern.length === other.length ? pattern < other : pattern.length > other.length
}

/** Whether the origin is one of those that the pattern of a preview stands for. */
export function matchesPattern(origin: string, pattern: string): boolean {
  return parentOf(origin) === parentOf(pattern) && matchesLabel(origin, pattern)
}

/**
 * The asterisk is at least one letter, digit or hyphen, and never a dot: `parentOf` has compared what
 * follows.
 */
function matchesLabel(origin: string, pattern: string): boolean {
  const [before = '', after = ''] = pattern.split('*')
  if (!origin.startsWith(before) || !origin.endsWith(after)) return false
  return /^[a-z0-9-]+$/.test(origin.slice(before.length, origin.length - after.length))
}

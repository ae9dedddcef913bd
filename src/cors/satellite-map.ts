import type { Satellite } from './satellite.js'

/** A suspended satellite stays in the map, so that no pattern or list opens its origin meanwhile. */
export interface KnownSatellite extends Satellite {
  readonly isSuspended: boolean
}

/** Satellites by origin; previews by what follows the left-most label. */
export class SatelliteMap {
  private readonly byOrigin = new Map<string, KnownSatellite>()
  private readonly previews = new Map<string, Map<string, KnownSatellite>>()

  get size(): number {
    return this.byOrigin.size
  }

  /**
   * The active satellite that a page with this origin belongs to; null when there is none. An exact name
   * beats a pattern.
   */
  find(origin: string): Satellite | null {
    // A pattern is never a valid origin, whatever somebody sends.
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

  /** Of several patterns the longest wins; among equals the first in code-unit order, so that all replicas agree. */
  private findPreview(origin: string): KnownSatellite | null {
    let best: KnownSatellite | null = null
    for (const [pattern, satellite] of this.previews.get(parentOf(origin)) ?? [])
      if (matchesLabel(origin, pattern) && (!best || comesBefore(pattern, best.origin))) best = satellite
    return best
  }
}

/** `example.com` of `https://shop.example.com`: everything after the left-most label. */
export function parentOf(origin: string): string {
  return origin.slice(origin.indexOf('.') + 1)
}

function comesBefore(pattern: string, other: string): boolean {
  return pattern.length === other.length ? pattern < other : pattern.length > other.length
}

/** Whether the origin matches a preview pattern. */
export function matchesPattern(origin: string, pattern: string): boolean {
  return parentOf(origin) === parentOf(pattern) && matchesLabel(origin, pattern)
}

/**
 * The asterisk stands for at least one letter, digit or hyphen, and never a dot: `parentOf` has already
 * compared the rest.
 */
function matchesLabel(origin: string, pattern: string): boolean {
  const [before = '', after = ''] = pattern.split('*')
  if (!origin.startsWith(before) || !origin.endsWith(after)) return false
  return /^[a-z0-9-]+$/.test(origin.slice(before.length, origin.length - after.length))
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { eq, gt, sql } from 'drizzle-orm'
import { Settings } from '../platform/config/settings.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { accounts } from '../platform/database/schema/accounts.js'
import { satelliteRegistry, satelliteRemovals, satellites } from '../platform/database/schema/satellites.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { ceilingOf, permissionBits, permissionsOfBits } from '../platform/permissions.js'
import { listedOrigins, listedSatellite, type Satellite } from './satellite.js'

/** A change is live on every replica after this, plus the time of one small query. */
const POLL_EVERY_MS = 1_000
const ROWS_A_QUERY = 5_000

/** A row of the table, as JSON. */
interface Row extends Omit<Satellite, 'accountId' | 'activeSince'> {
  readonly accountId: string
  readonly state: 'pending' | 'active' | 'suspended'
  /** Seconds since 1970. */
  readonly activeSince: number | null
}

interface Page {
  readonly rows: readonly Row[]
  /** The version after which the next page begins; null after the last page. */
  readonly last: number | null
}

/**
 * The satellites that may use this API now, in memory, so that no request queries the database. Every second
 * a replica checks for a newer version; while the database is down, it continues with what it has.
 */
@Injectable()
export class Satellites implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Satellites')
  private map = new SatelliteMap()
  /** ALLOWED_ORIGINS, and the local ones of development; an account's own satellite takes precedence over these. */
  private readonly listed: ReadonlySet<string>
  private version = 0
  private timer: NodeJS.Timeout | undefined
  private isStale = false
  private polling: Promise<void> | null = null

  constructor(
    settings: Settings,
    private readonly database: Database,
  ) {
    this.listed = new Set([...listedOrigins(settings), ...settings.localOrigins])
  }

  async onModuleInit(): Promise<void> {
    await this.refresh()
    this.timer = setInterval(() => void this.poll(), POLL_EVERY_MS).unref()
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer)
  }

  /** The active satellite with this origin; null for any other. */
  find(origin: string): Satellite | null {
    return this.map.find(origin)
  }

  /** Whether any of them has an idle timeout, or has had one since this process started. */
  get haveIdleTimeouts(): boolean {
    return this.map.hasIdleTimeouts
  }

  has(origin: string): boolean {
    return this.map.find(origin) !== null
  }

  /** Whether it is the origin of an active satellite that this account may use. */
  isOf(accountId: string, origin: string): boolean {
    const satellite = this.map.find(origin)
    return satellite !== null && (satellite.accountId ?? accountId) === accountId
  }

  /**
   * Those of an invitation's origins that mails and pages may name, because an account has proven them: otherwise an inviter
   * could use ours to lead people anywhere. Null stands for all satellites.
   */
  provenOf(accountId: string, origins: readonly string[] | null): string[] | null {
    return origins?.filter(origin => this.isOf(accountId, origin)) ?? null
  }

  /** Reads what has changed since the last time. Throws when the database does. */
  async refresh(): Promise<void> {
    const [registry] = await this.database.run(db => db.select().from(satelliteRegistry))
    const { version, rebuilt } = registry as typeof satelliteRegistry.$inferSelect
    if (this.map.size > 0 && version === this.version) return
    // A lower version means a different database, such as a restored one.
    const mustReload = rebuilt > this.version || version < this.version || this.version === 0
    await (mustReload ? this.loadAll() : this.loadSince(this.version))
    this.version = version
  }

  /** One at a time, so that queries do not pile up on a slow database. */
  private poll(): Promise<void> {
    this.polling ??= this.pollOnce().finally(() => {
      this.polling = null
    })
    return this.polling
  }

  private async pollOnce(): Promise<void> {
    try {
      await this.refresh()
      if (this.isStale) this.logger.log('Satellites are up to date again')
      this.isStale = false
    } catch (error) {
      if (!this.isStale)
        this.logger.warn(`Could not refresh satellites; using the last known ones: ${causeMessage(error)}`)
      this.isStale = true
    }
  }

  private async loadAll(): Promise<void> {
    const map = new SatelliteMap()
    for (const origin of this.listed) map.set(listed(origin))
    await this.eachRow(0, row => {
      if (row.state !== 'pending') map.set(satelliteOf(row))
    })
    this.map = map
  }

  private async loadSince(version: number): Promise<void> {
    await this.eachRow(version, row => {
      if (row.state === 'pending') this.forget(row)
      else this.map.set(satelliteOf(row))
    })
    // Afterwards, because one may have been removed meanwhile. By id, because another account may have
    // the origin since.
    const { satelliteId: id, origin } = satelliteRemovals
    const removed = await this.database.run(db =>
      db.select({ id, origin }).from(satelliteRemovals).where(gt(satelliteRemovals.version, version)),
    )
    for (const satellite of removed) this.forget(satellite)
  }

  private forget({ origin, id }: Pick<Row, 'id' | 'origin'>): void {
    const isRemoved = this.map.remove(origin, id)
    if (isRemoved && this.listed.has(origin)) this.map.set(listed(origin))
  }

  /** Those that changed after this version; a concurrent change comes at the end, or with the next version. */
  private async eachRow(after: number, work: (row: Row) => void): Promise<void> {
    let next: Promise<Page> | null = this.page(after)
    while (next) {
      const { rows, last }: Page = await next
      next = last === null ? null : this.page(last)
      // Requested before this page keeps us busy; a rejection is handled when it is awaited.
      next?.catch(() => {})
      await nextTurn()
      for (const row of rows) work(row)
    }
  }

  /** As a single JSON text: decoding a hundred thousand rows column by column would add seconds to every start. */
  private async page(after: number): Promise<Page> {
    const answer = await this.database.run(db =>
      db.execute(sql`
        select
          coalesce(json_agg(json_build_object(
            'id', id,
            'origin', origin,
            'accountId', account_id,
            'kind', kind,
            'state', state,
            'ceiling', ceiling,
            'loginMode', case when handoff_required = 'everyone' then 'handoff' else login_mode end,
            'secondFactor', second_factor,
            'sessionSeconds', session_seconds,
            'idleSeconds', idle_seconds,
            'activeSince', floor(extract(epoch from active_since))
          ) order by version), '[]') as rows,
          case when count(*) = ${ROWS_A_QUERY} then max(version)::float8 end as last
        from (
          select ${satellites}.*, handoff_required
          from ${satellites} join ${accounts} on ${accounts.id} = account_id
          where version > ${after} order by version limit ${ROWS_A_QUERY}
        ) page`),
    )
    return rowsOf<Page>(answer)[0] as Page
  }
}

function listed(origin: string): KnownSatellite {
  return { ...listedSatellite(origin, ceilingOf('satellite')), isSuspended: false }
}

/** Equal ceilings share one object, because there may be a hundred thousand satellites. */
function satelliteOf({ state, ceiling, activeSince, ...row }: Row): KnownSatellite {
  return {
    ...row,
    ceiling: permissionsOfBits(permissionBits(ceiling)),
    activeSince: (activeSince ?? 0) * 1000,
    isSuspended: state === 'suspended',
  }
}

/** A suspended satellite stays in the map, so that no pattern or list opens its origin meanwhile. */
interface KnownSatellite extends Satellite {
  readonly isSuspended: boolean
}

/** Satellites by origin; previews by what follows the left-most label. */
class SatelliteMap {
  private readonly byOrigin = new Map<string, KnownSatellite>()
  private readonly previews = new Map<string, Map<string, KnownSatellite>>()
  hasIdleTimeouts = false

  get size(): number {
    return this.byOrigin.size
  }

  /**
   * The active satellite that a page with this origin belongs to; null when there is none. An exact name
   * beats a pattern.
   */
  find(origin: string): Satellite | null {
    // A pattern is never a valid origin, whatever a client sends.
    if (origin.includes('*')) return null
    const known = this.byOrigin.get(origin) ?? (this.previews.size > 0 ? this.findPreview(origin) : null)
    return known?.isSuspended ? null : known
  }

  set(satellite: KnownSatellite): void {
    const { origin } = satellite
    this.byOrigin.set(origin, satellite)
    this.hasIdleTimeouts ||= satellite.idleSeconds !== null
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

function comesBefore(pattern: string, other: string): boolean {
  return pattern.length === other.length ? pattern < other : pattern.length > other.length
}

/** `example.com` of `https://shop.example.com`: everything after the left-most label. */
export function parentOf(origin: string): string {
  return origin.slice(origin.indexOf('.') + 1)
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

/** The name and the branding of a satellite; null once it has been removed. */
export async function brandingOf(database: Database, id: string) {
  const { name, branding } = satellites
  const [row] = await database.run(db =>
    db.select({ name, branding }).from(satellites).where(eq(satellites.id, id)),
  )
  return row ?? null
}

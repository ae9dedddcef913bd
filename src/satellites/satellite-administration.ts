import { Injectable } from '@nestjs/common'
import { type Actor, auditEvent, SERVICE } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { RegisteredSatellite, SatelliteRow } from './registered-satellite.js'
import { type NewSatellite, RegisteredSatellites, type SatelliteFilter } from './registered-satellites.js'
import { SatelliteRegistryService } from './satellite-registry.js'
import { OriginClaims } from './verification/origin-claims.js'

/** Satellites as operators see and change them, beyond what the accounts can do. */
@Injectable()
export class SatelliteAdministration {
  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly claims: OriginClaims,
    private readonly registry: SatelliteRegistryService,
    private readonly auditLog: AuditLog,
  ) {}

  /** Those of one account, or of all, oldest first. */
  list(accountId: string | null): Promise<RegisteredSatellite[]> {
    return this.database.run(db => this.registered.list(db, accountId))
  }

  /** Those of all accounts that match the filter, newest first; at most `limit`. */
  listNewest(filter: SatelliteFilter, limit: number): Promise<RegisteredSatellite[]> {
    return this.database.report(db => this.registered.listNewest(db, filter, limit))
  }

  /** Null when there is none. */
  find(id: string): Promise<RegisteredSatellite | null> {
    return this.database.run(db => this.registered.findAnywhere(db, id))
  }

  /** The satellite of this account with this origin, in any state; null when it has none. */
  findByOrigin({ accountId, origin }: NewSatellite): Promise<RegisteredSatellite | null> {
    return this.database.run(db => this.registered.findByOrigin(db, accountId, origin))
  }

  /**
   * For a satellite that an operator vouches for; allows one that ALLOWED_ORIGINS lists. Throws
   * `ORIGIN_TAKEN` while another account has the origin.
   */
  async requireFree(wanted: NewSatellite): Promise<void> {
    if ((await this.claims.holders(wanted)).length > 0) throw new ApiError('ORIGIN_TAKEN')
  }

  /** Closes a satellite; its account can neither resume nor remove it. Throws `SATELLITE_PENDING`. */
  suspend({ id, accountId }: SatelliteRow, actor: Actor = SERVICE): Promise<void> {
    return this.registry.suspend({ ...actor, accountId }, id)
  }

  /**
   * Activates a suspended satellite without its proof, which the daily check looks for again: it gets another
   * 7 days. Throws `SATELLITE_PENDING`.
   */
  resume({ id, accountId }: SatelliteRow, { client, operator }: Actor = SERVICE): Promise<void> {
    return this.database.transaction(async transaction => {
      const { satellite } = await this.registered.lock(transaction, accountId, id)
      if (satellite.state === 'pending') throw new ApiError('SATELLITE_PENDING')
      if (satellite.state === 'active') return
      await this.registered.resume(transaction, satellite)
      const detail = { satellite: id, origin: satellite.origin }
      await this.auditLog.record(
        transaction,
        auditEvent({ accountId, client, ...(operator && { operator }) }, 'satellite.resume', detail),
      )
    })
  }
}

import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import { OriginPolicy } from '../satellites/origin-policy.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { Accounts } from '../users/accounts.js'
import {
  type RegisteredSatellite,
  RegisteredSatellites,
  type SatelliteChange,
  type SatelliteRow,
} from './registered-satellites.js'

/** Anything can be typed into a form; what it names is somebody's server. */
const MAX_PENDING = 20

export type SatelliteRequest = Pick<SatelliteRow, 'origin' | 'name' | 'kind'>

/** The satellites of an account, as those who may change its settings see and change them. */
@Injectable()
export class SatelliteRegistry {
  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly accounts: Accounts,
    private readonly origins: OriginPolicy,
    private readonly auditLog: AuditLog,
  ) {}

  /** All of the account, oldest first. */
  list(accountId: string): Promise<RegisteredSatellite[]> {
    return this.database.run(db => this.registered.list(db, accountId))
  }

  /** Throws `NOT_FOUND`. */
  find(accountId: string, id: string): Promise<RegisteredSatellite> {
    return this.database.run(db => this.registered.find(db, accountId, id))
  }

  /**
   * Adds a satellite that has to be proven. Throws `INVALID_BODY` for an origin that can be no account's,
   * `ORIGIN_TAKEN` for one that somebody has, and `TOO_MANY_SATELLITES` while too many wait for a proof.
   */
  add(actor: SessionActor, wanted: SatelliteRequest): Promise<RegisteredSatellite> {
    this.origins.require(wanted.origin, wanted.kind)
    return this.database.transaction(async transaction => {
      const { accountId } = actor
      await this.accounts.lock(transaction, accountId)
      await this.registered.requireFree(transaction, wanted.origin, accountId)
      if ((await this.registered.countPending(transaction, accountId)) >= MAX_PENDING)
        throw new ApiError('TOO_MANY_SATELLITES')
      const added = await this.registered.add(transaction, { accountId, ...wanted })
      await this.record(transaction, actor, 'satellite.add', added.satellite, { kind: wanted.kind })
      return added
    })
  }

  /** Changes what is in `change` and nothing else. Throws `NOT_FOUND`. */
  async change(actor: SessionActor, id: string, change: SatelliteChange): Promise<RegisteredSatellite> {
    return this.database.transaction(async transaction => {
      const { proof } = await this.registered.find(transaction, actor.accountId, id)
      const satellite = await this.registered.change(transaction, id, change)
      await this.record(transaction, actor, 'satellite.change', satellite, { ...change })
      return { satellite, proof }
    })
  }

  /** Closes an active satellite: its pages are refused within seconds, and its sessions at their next refresh. */
  suspend(actor: SessionActor, id: string): Promise<void> {
    return this.database.transaction(async transaction => {
      const { satellite } = await this.registered.find(transaction, actor.accountId, id)
      if (satellite.state === 'suspended') return
      if (satellite.state === 'pending') throw new ApiError('SATELLITE_PENDING')
      await this.registered.setState(transaction, id, 'suspended')
      await this.record(transaction, actor, 'satellite.suspend', satellite)
    })
  }

  /** Anybody who can prove the origin may have it afterwards. Throws `NOT_FOUND`. */
  remove(actor: SessionActor, id: string): Promise<void> {
    return this.database.transaction(async transaction => {
      const { satellite } = await this.registered.find(transaction, actor.accountId, id)
      await this.registered.remove(transaction, id)
      await this.record(transaction, actor, 'satellite.remove', satellite)
    })
  }

  private record(
    transaction: Db,
    actor: SessionActor,
    action: AuditAction,
    { id, origin }: SatelliteRow,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    return this.auditLog.record(transaction, auditEvent(actor, action, { satellite: id, origin, ...detail }))
  }
}

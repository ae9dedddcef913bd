import { Injectable } from '@nestjs/common'
import { type AuditAction, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { fieldError } from '../platform/errors/field-faults.js'
import { ActorAuthority } from '../users/actor-authority.js'
import {
  type AccountActor,
  type RegisteredSatellite,
  requireNotSuspendedByOperator,
  type SatelliteRow,
} from './registered-satellite.js'
import {
  PREVIEW_SESSION_SECONDS,
  RegisteredSatellites,
  type SatelliteChange,
} from './registered-satellites.js'
import { OriginClaims } from './verification/origin-claims.js'

export type SatelliteRequest = Pick<SatelliteRow, 'origin' | 'name' | 'kind'>

/** The satellites of an account, for members who may change its settings. */
@Injectable()
export class SatelliteRegistryService {
  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly claims: OriginClaims,
    private readonly authority: ActorAuthority,
    private readonly auditLog: AuditLog,
  ) {}

  /** All satellites of the account, oldest first. */
  list(accountId: string): Promise<RegisteredSatellite[]> {
    return this.database.run(db => this.registered.list(db, accountId))
  }

  /** Throws `NOT_FOUND`. */
  find(accountId: string, id: string): Promise<RegisteredSatellite> {
    return this.database.run(db => this.registered.find(db, accountId, id))
  }

  /** Adds a satellite that must be proven. Throws like {@link OriginClaims.require} and {@link insert}. */
  async add(actor: AccountActor, wanted: SatelliteRequest): Promise<RegisteredSatellite> {
    await this.claims.require({ accountId: actor.accountId, ...wanted })
    return this.insert(actor, wanted)
  }

  /**
   * Adds a pending satellite. Throws `INVALID_BODY` for an origin that no account can have, `ORIGIN_TAKEN`
   * when the account already has it, `SESSION_NOT_FOUND` when the account is gone, and like
   * {@link OriginClaims.requireRoom}; operators may add any number.
   */
  async insert(actor: AccountActor, wanted: SatelliteRequest): Promise<RegisteredSatellite> {
    const { accountId } = actor
    this.claims.requireValid({ accountId, ...wanted })
    return this.database.transaction(async transaction => {
      await this.requireMayChange(transaction, actor)
      if (actor.client) await this.claims.requireRoom(transaction, accountId)
      const added = await this.registered.add(transaction, { accountId, ...wanted })
      await this.record(transaction, actor, 'satellite.add', added, { kind: wanted.kind })
      return added
    })
  }

  /**
   * Throws `PROOF_EXPIRED` when a pending satellite can no longer be proven with the token that was read; it
   * then has a new one. Throws `NOT_FOUND` when it is gone.
   */
  async requireFreshToken({ satellite, proof }: RegisteredSatellite): Promise<void> {
    const isRenewed = await this.database.transaction(async transaction => {
      // It may have been proven or removed since it was read.
      const current = await this.registered.lock(transaction, satellite.accountId, satellite.id)
      if (current.proof.token !== proof.token) return true
      return this.registered.renewExpiredToken(transaction, current)
    })
    if (isRenewed) throw new ApiError('PROOF_EXPIRED')
  }

  /** Changes only what is in `change`. Throws `NOT_FOUND`, and `INVALID_BODY` for long sessions of previews. */
  async change(actor: AccountActor, id: string, change: SatelliteChange): Promise<RegisteredSatellite> {
    await this.database.transaction(async transaction => {
      await this.requireMayChange(transaction, actor)
      const found = await this.registered.lock(transaction, actor.accountId, id)
      requireShortSessions(found.satellite, change)
      if (Object.values(change).every(value => value === undefined)) return
      await this.registered.change(transaction, id, change)
      await this.record(transaction, actor, 'satellite.change', found, { ...change })
    })
    return this.find(actor.accountId, id)
  }

  /**
   * Closes an active satellite: its pages are refused within seconds, and its sessions at their next refresh.
   * One that an operator suspends stays suspended until an operator resumes it. Throws `NOT_FOUND` and
   * `SATELLITE_PENDING`.
   */
  suspend(actor: AccountActor, id: string): Promise<void> {
    const by = actor.client && !actor.operator ? 'account' : 'operator'
    return this.database.transaction(async transaction => {
      await this.requireMayChange(transaction, actor)
      const found = await this.registered.lock(transaction, actor.accountId, id)
      const { state, suspendedBy } = found.satellite
      if (state === 'pending') throw new ApiError('SATELLITE_PENDING')
      if (state === 'suspended' && (by === 'account' || suspendedBy === by)) return
      await this.registered.suspend(transaction, id, by)
      await this.record(transaction, actor, 'satellite.suspend', found, { suspendedBy: by })
    })
  }

  /**
   * Afterwards anybody who can prove the origin may have it. Throws `NOT_FOUND` and `SATELLITE_SUSPENDED` (by
   * an operator).
   */
  remove(actor: AccountActor, id: string): Promise<void> {
    return this.database.transaction(async transaction => {
      await this.requireMayChange(transaction, actor)
      const found = await this.registered.lock(transaction, actor.accountId, id)
      requireNotSuspendedByOperator(actor, found)
      await this.registered.remove(transaction, id)
      await this.record(transaction, actor, 'satellite.remove', found)
    })
  }

  /** Also locks the account. */
  private requireMayChange(transaction: Db, actor: AccountActor): Promise<void> {
    return this.authority.lockAccount(transaction, actor, 'accountSettings')
  }

  private record(
    transaction: Db,
    actor: AccountActor,
    action: AuditAction,
    { satellite: { id, origin } }: RegisteredSatellite,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    return this.auditLog.record(transaction, auditEvent(actor, action, { satellite: id, origin, ...detail }))
  }
}

function requireShortSessions({ kind }: SatelliteRow, { sessionSeconds }: SatelliteChange): void {
  if (kind !== 'preview' || sessionSeconds === undefined) return
  if (sessionSeconds !== null && sessionSeconds <= PREVIEW_SESSION_SECONDS) return
  const fault = fieldError('sessionSeconds', 'SESSION_TOO_LONG', { max: PREVIEW_SESSION_SECONDS })
  throw new ApiError('INVALID_BODY', { errors: [fault] })
}

import { Injectable } from '@nestjs/common'
import { OriginPolicy } from '../cors/satellite-origin.js'
import { type Actor, type AuditAction, auditEvent, SERVICE } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { fieldError } from '../platform/errors/field-faults.js'
import { requireWithinPlan } from '../platform/plans.js'
import { requireIdleTimeout } from '../sessions/idle-seconds.js'
import { planLimitsOf } from '../users/accounts.js'
import { ActorAuthority } from '../users/actor-authority.js'
import {
  type AccountActor,
  holdersElsewhere,
  isFailing,
  type NewSatellite,
  PREVIEW_SESSION_SECONDS,
  type RegisteredSatellite,
  RegisteredSatellites,
  requireNotSuspendedByOperator,
  type SatelliteChange,
  type SatelliteFilter,
  type SatelliteRow,
} from './registered-satellites.js'

type SatelliteRequest = Pick<SatelliteRow, 'origin' | 'name' | 'kind'>

/** Any host can be typed into a form, so few may wait for a proof. */
const MAX_PENDING = 20

/** The satellites of an account, for members who may change its settings. */
@Injectable()
export class SatelliteRegistry {
  private readonly policy: OriginPolicy

  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly authority: ActorAuthority,
    private readonly auditLog: AuditLog,
    private readonly settings: Settings,
  ) {
    this.policy = new OriginPolicy(settings)
  }

  /** All satellites of the account, oldest first. */
  list(accountId: string): Promise<RegisteredSatellite[]> {
    return this.database.run(db => this.registered.list(db, accountId))
  }

  /** Throws `NOT_FOUND`. */
  find(accountId: string, id: string): Promise<RegisteredSatellite> {
    return this.database.run(db => this.registered.find(db, accountId, id))
  }

  /**
   * Adds a satellite that must be proven. Throws `ORIGIN_TAKEN` for an origin that the operator lists for every account,
   * or that another account has and has not lost; a check whether that account can still prove it then follows soon.
   * Throws like {@link insert}.
   */
  async add(actor: AccountActor, wanted: SatelliteRequest): Promise<RegisteredSatellite> {
    const claim = { accountId: actor.accountId, ...wanted }
    this.policy.require(wanted.origin, wanted.kind)
    if (this.policy.isListed(wanted.origin)) throw new ApiError('ORIGIN_TAKEN')
    const holders = await this.database.run(db => holdersElsewhere(db, claim))
    await this.database.run(db => this.registered.expediteChecks(db, holders))
    if (!holders.every(isFailing)) throw new ApiError('ORIGIN_TAKEN')
    return this.insert(actor, wanted)
  }

  /**
   * Adds a pending satellite. Throws `INVALID_BODY` for an origin that no account can have, `ORIGIN_TAKEN`
   * when the account already has it, `SESSION_NOT_FOUND` when the account is gone, and, unless an operator adds it,
   * `TOO_MANY_SATELLITES` and `PLAN_LIMIT_REACHED`.
   */
  async insert(actor: AccountActor, wanted: SatelliteRequest): Promise<RegisteredSatellite> {
    const { accountId } = actor
    this.policy.require(wanted.origin, wanted.kind)
    return this.database.transaction(async transaction => {
      await this.requireMayChange(transaction, actor)
      if (actor.client) await this.requireRoom(transaction, accountId)
      const added = await this.registered.add(transaction, { accountId, ...wanted })
      await this.record(transaction, actor, 'satellite.add', added, { kind: wanted.kind })
      return added
    })
  }

  /** Changes only what is in `change`. Throws `NOT_FOUND`, and `INVALID_BODY` for long sessions of previews and short idle timeouts. */
  async change(actor: AccountActor, id: string, change: SatelliteChange): Promise<RegisteredSatellite> {
    await this.database.transaction(async transaction => {
      await this.requireMayChange(transaction, actor)
      const found = await this.registered.lock(transaction, actor.accountId, id)
      requireShortSessions(found.satellite, change)
      requireIdleTimeout(this.settings, change.idleSeconds)
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
   * Afterwards any account that can prove the origin may have it. Throws `NOT_FOUND` and `SATELLITE_SUSPENDED` (by
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

  /** The account must be locked. The operator limits all satellites, the plan those of its account. */
  private async requireRoom(transaction: Db, accountId: string): Promise<void> {
    const { all, pending } = await this.registered.count(transaction, accountId)
    const max = this.policy.maxSatellitesPerAccount
    if (all >= max)
      throw new ApiError('TOO_MANY_SATELLITES', { detail: `An account may have ${max} satellites` })
    requireWithinPlan(
      await planLimitsOf(transaction, accountId),
      'satellites',
      all,
      plan => `The plan of this account allows ${plan} satellites`,
    )
    if (pending >= MAX_PENDING) throw new ApiError('TOO_MANY_SATELLITES')
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

/** Satellites as operators see and change them, beyond what the accounts can do. */
@Injectable()
export class SatelliteAdministration {
  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly registry: SatelliteRegistry,
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
    const holders = await this.database.run(db => holdersElsewhere(db, wanted))
    if (holders.length > 0) throw new ApiError('ORIGIN_TAKEN')
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

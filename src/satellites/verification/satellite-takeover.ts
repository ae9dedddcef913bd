import { Injectable } from '@nestjs/common'
import { type Actor, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { ApiError } from '../../platform/errors/api-error.js'
import {
  type AccountActor,
  type ProofRow,
  type RegisteredSatellite,
  requireNotSuspendedByOperator,
} from '../registered-satellite.js'
import { RegisteredSatellites } from '../registered-satellites.js'
import { isBarredByAnother, lockHoldersElsewhere, lockOrigin } from './origin-holders.js'
import { SatelliteProofs } from './satellite-proofs.js'

/** Whether an origin may be taken from the account that has it. */
export type MayTakeOverFrom = (holder: RegisteredSatellite) => boolean

/** What an activation has changed. */
export interface Activation {
  readonly origin: string
  /** Whether the satellite was not active before, or another account has had its origin since. */
  readonly isFirst: boolean
  /** Those that had its origin and no longer do. */
  readonly former: readonly RegisteredSatellite[]
}

/** Gives origins to satellites whose proof was found, if need be in place of those that have them. */
@Injectable()
export class SatelliteTakeover {
  constructor(
    private readonly registered: RegisteredSatellites,
    private readonly proofs: SatelliteProofs,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Makes the satellite active, in a transaction that has its account locked. Throws what
   * `SatelliteActivation.activate` names.
   */
  async activate(
    transaction: Db,
    actor: AccountActor,
    found: RegisteredSatellite,
    method: NonNullable<ProofRow['method']>,
    mayTakeOverFrom: MayTakeOverFrom,
  ): Promise<Activation> {
    const { id, origin } = found.satellite
    await lockOrigin(transaction, origin)
    const current = await this.registered.lock(transaction, actor.accountId, id)
    requireNotSuspendedByOperator(actor, current)
    const { satellite, proof } = current
    if (proof.token !== found.proof.token) throw new ApiError('PROOF_EXPIRED')
    // If an operator vouches for it, that stays so even when somebody in the account proves it too.
    await this.proofs.recordFound(transaction, id, proof.method === 'operator' ? proof.method : method)
    const event = auditEvent(actor, 'satellite.verify', { satellite: id, origin, method })
    if (satellite.state === 'active') {
      if (method === 'operator' && proof.method !== method) await this.auditLog.record(transaction, event)
      return { origin, isFirst: false, former: [] }
    }
    const holders = await lockHoldersElsewhere(transaction, satellite)
    if (!holders.every(mayTakeOverFrom)) throw new ApiError('ORIGIN_TAKEN')
    if (actor.client && (await isBarredByAnother(transaction, satellite)))
      throw new ApiError('SATELLITE_SUSPENDED', {
        detail: 'An operator has suspended another satellite that has hosts in common with this one',
      })
    for (const holder of holders) await this.take(transaction, holder, actor.operator)
    await this.registered.activate(transaction, satellite)
    await this.auditLog.record(transaction, event)
    return { origin, isFirst: satellite.activeSince === null, former: holders }
  }

  /** Its account learns which operator took it, but not who else. */
  private async take(
    transaction: Db,
    { satellite: { id, accountId, origin } }: RegisteredSatellite,
    operator: Actor['operator'],
  ) {
    await this.registered.release(transaction, id)
    const actor = { accountId, client: null, ...(operator && { operator }) }
    await this.auditLog.record(transaction, auditEvent(actor, 'satellite.move', { satellite: id, origin }))
  }
}

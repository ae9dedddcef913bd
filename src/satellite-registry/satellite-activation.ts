import { Injectable } from '@nestjs/common'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import { Logger } from '../log/logger.js'
import { ActorAuthority } from '../users/actor-authority.js'
import {
  type AccountActor,
  type ProofRow,
  type RegisteredSatellite,
  requireNotBarred,
} from './registered-satellite.js'
import { RegisteredSatellites } from './registered-satellites.js'
import { SatelliteMails } from './satellite-mails.js'
import { SatelliteProofs } from './satellite-proofs.js'

/** Whether an origin may be taken from the account that has it. */
export type MayTakeFrom = (holder: RegisteredSatellite) => boolean

/** Activates satellites whose proof was found, or that an operator vouches for. */
@Injectable()
export class SatelliteActivation {
  private readonly logger = new Logger('SatelliteActivation')

  constructor(
    private readonly database: Database,
    private readonly authority: ActorAuthority,
    private readonly registered: RegisteredSatellites,
    private readonly proofs: SatelliteProofs,
    private readonly mails: SatelliteMails,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Returns the satellite, now active; the sessions of one that was suspended continue. If another account
   * has the origin, it moves here when `mayTakeFrom` allows that; otherwise this throws `ORIGIN_TAKEN`.
   * Throws `PROOF_EXPIRED` when the token has changed since `found` was read, `NOT_FOUND` when it is gone,
   * and `SATELLITE_SUSPENDED` while an operator keeps it closed, or keeps another satellite
   * with the same hosts closed.
   */
  async activate(
    actor: AccountActor,
    found: RegisteredSatellite,
    method: NonNullable<ProofRow['method']>,
    mayTakeFrom: MayTakeFrom = () => false,
  ): Promise<RegisteredSatellite> {
    const { id, origin } = found.satellite
    const former = await this.database.transaction(async transaction => {
      await this.authority.lockAccount(transaction, actor, 'accountSettings')
      await this.registered.lockOrigin(transaction, origin)
      const current = await this.registered.lock(transaction, actor.accountId, id)
      requireNotBarred(actor, current)
      const { satellite, proof } = current
      if (proof.token !== found.proof.token) throw new ApiError('PROOF_EXPIRED')
      // If an operator vouches for it, that stays so even when somebody in the account proves it too.
      await this.proofs.recordFound(transaction, id, proof.method === 'operator' ? proof.method : method)
      if (satellite.state === 'active') return []
      const holders = await this.registered.lockHoldersElsewhere(transaction, satellite)
      if (!holders.every(mayTakeFrom)) throw new ApiError('ORIGIN_TAKEN')
      if (actor.client && (await this.registered.isBarredByAnother(transaction, satellite)))
        throw new ApiError('SATELLITE_SUSPENDED', {
          detail: 'An operator has suspended another satellite that has hosts in common with this one',
        })
      for (const holder of holders) await this.take(transaction, holder)
      await this.registered.activate(transaction, satellite)
      const detail = { satellite: id, origin, method }
      await this.auditLog.record(transaction, auditEvent(actor, 'satellite.verify', detail))
      return holders
    })
    await this.tellMoved(former)
    return this.database.run(db => this.registered.find(db, actor.accountId, id))
  }

  private async tellMoved(former: readonly RegisteredSatellite[]): Promise<void> {
    for (const { satellite } of former)
      await this.mails
        .tellMoved(satellite)
        .catch(error =>
          this.logger.error(
            `${satellite.accountId} was not told that ${satellite.origin} moved: ${error.message}`,
          ),
        )
  }

  private async take(transaction: Db, { satellite: { id, accountId, origin } }: RegisteredSatellite) {
    await this.registered.release(transaction, id)
    const event = auditEvent({ accountId, client: null }, 'satellite.move', { satellite: id, origin })
    await this.auditLog.record(transaction, event)
  }
}

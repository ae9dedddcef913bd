import { Injectable } from '@nestjs/common'
import { Database } from '../../platform/database/database.js'
import { ActorAuthority } from '../../users/actor-authority.js'
import type { AccountActor, ProofRow, RegisteredSatellite } from '../registered-satellite.js'
import { RegisteredSatellites } from '../registered-satellites.js'
import { ActivationNotices } from './activation-notices.js'
import { type MayTakeOverFrom, SatelliteTakeover } from './satellite-takeover.js'

/** Activates satellites whose proof was found, or that an operator vouches for. */
@Injectable()
export class SatelliteActivation {
  constructor(
    private readonly database: Database,
    private readonly authority: ActorAuthority,
    private readonly registered: RegisteredSatellites,
    private readonly takeover: SatelliteTakeover,
    private readonly notices: ActivationNotices,
  ) {}

  /**
   * Returns the satellite, now active; the sessions of one that was suspended continue. If another account
   * has the origin, it moves here when `mayTakeOverFrom` allows that; otherwise this throws `ORIGIN_TAKEN`.
   * Throws `PROOF_EXPIRED` when the token has changed since `found` was read, `NOT_FOUND` when it is gone,
   * and `SATELLITE_SUSPENDED` while an operator keeps it closed, or keeps another satellite
   * with the same hosts closed.
   */
  async activate(
    actor: AccountActor,
    found: RegisteredSatellite,
    method: NonNullable<ProofRow['method']>,
    mayTakeOverFrom: MayTakeOverFrom = () => false,
  ): Promise<RegisteredSatellite> {
    const notify = await this.database.transaction(async transaction => {
      await this.authority.lockAccount(transaction, actor, 'accountSettings')
      const activation = await this.takeover.activate(transaction, actor, found, method, mayTakeOverFrom)
      return this.notices.about(transaction, actor, activation)
    })
    await notify()
    return this.database.run(db => this.registered.find(db, actor.accountId, found.satellite.id))
  }
}

import { Injectable } from '@nestjs/common'
import { OriginPolicy } from '../../cors/origin-policy.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { requireWithinPlan } from '../../platform/plans.js'
import { planLimitsOf } from '../../users/plan-seats.js'
import { isFailing, type RegisteredSatellite } from '../registered-satellite.js'
import { RegisteredSatellites } from '../registered-satellites.js'
import { holdersElsewhere, type OriginClaim } from './origin-holders.js'
import { SatelliteProofLookup } from './satellite-proof-lookup.js'
import { SatelliteProofs } from './satellite-proofs.js'

/** Anybody's host can be typed into a form, so few may wait for a proof. */
const MAX_PENDING = 20

/** Whether an account may have an origin that may belong, or have belonged, to another account. */
@Injectable()
export class OriginClaims {
  constructor(
    private readonly database: Database,
    private readonly policy: OriginPolicy,
    private readonly registered: RegisteredSatellites,
    private readonly proofs: SatelliteProofs,
    private readonly proofLookup: SatelliteProofLookup,
  ) {}

  /**
   * Throws `INVALID_BODY` for an origin that no account can have, and `ORIGIN_TAKEN` for one that the
   * operator lists for everybody, or that another account has and has not lost; a check whether that account
   * can still prove it then follows soon.
   */
  async require(claim: OriginClaim): Promise<void> {
    this.requireValid(claim)
    if (this.policy.isListed(claim.origin)) throw new ApiError('ORIGIN_TAKEN')
    const holders = await this.holders(claim)
    await this.expediteChecks(holders)
    if (!holders.every(isFailing)) throw new ApiError('ORIGIN_TAKEN')
  }

  /** Throws `INVALID_BODY` for an origin that no account can have. */
  requireValid({ origin, kind }: OriginClaim): void {
    this.policy.require(origin, kind)
  }

  /**
   * Throws `TOO_MANY_SATELLITES` when the account, which must be locked, has as many as any may have, or too
   * many are waiting for a proof, and `PLAN_LIMIT_REACHED` when it has as many as its plan allows.
   */
  async requireRoom(transaction: Db, accountId: string): Promise<void> {
    const { all, pending } = await this.registered.count(transaction, accountId)
    const most = this.policy.maxSatellitesPerAccount
    if (all >= most)
      throw new ApiError('TOO_MANY_SATELLITES', { detail: `An account may have ${most} satellites` })
    requireWithinPlan(
      await planLimitsOf(transaction, accountId),
      'satellites',
      all,
      plan => `The plan of this account allows ${plan} satellites`,
    )
    if (pending >= MAX_PENDING) throw new ApiError('TOO_MANY_SATELLITES')
  }

  /** Satellites of other accounts that have the origin, active or suspended. */
  holders(claim: OriginClaim): Promise<RegisteredSatellite[]> {
    return this.database.run(db => holdersElsewhere(db, claim))
  }

  /**
   * Those of them that have lost it: the daily check has told them so, and a look-up where their proof used
   * to be confirms it now. For the others a check is scheduled soon.
   */
  async holdersWithoutProof(claim: OriginClaim): Promise<RegisteredSatellite[]> {
    const holders = await this.holders(claim)
    await this.expediteChecks(holders)
    const lost: RegisteredSatellite[] = []
    for (const holder of holders) if (isFailing(holder) && (await this.isGone(holder))) lost.push(holder)
    return lost
  }

  private async expediteChecks(holders: readonly RegisteredSatellite[]): Promise<void> {
    const ids = holders.filter(holder => !isFailing(holder)).map(({ satellite }) => satellite.id)
    if (ids.length > 0) await this.database.run(db => this.proofs.expediteCheck(db, ids))
  }

  /** A missing answer is not enough. */
  private async isGone(holder: RegisteredSatellite): Promise<boolean> {
    const { method, lookups } = await this.proofLookup.look(holder)
    const place = holder.proof.method === 'file' ? lookups.file : lookups.dns
    return method === null && place?.isOutage === false
  }
}

import { Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { lookupFault } from '../proof/proof-lookup.js'
import {
  type AccountActor,
  isFailing,
  type RegisteredSatellite,
  requireNotSuspendedByOperator,
} from '../registered-satellite.js'
import { SatelliteRegistryService } from '../satellite-registry.js'
import { OriginClaims } from './origin-claims.js'
import { SatelliteActivation } from './satellite-activation.js'
import { lookupsOf, type ProofResult, SatelliteProofLookup } from './satellite-proof-lookup.js'

/** Looks up the proofs of satellites on request, and activates those that are proven. */
@Injectable()
export class SatelliteVerificationService {
  constructor(
    private readonly registry: SatelliteRegistryService,
    private readonly proofLookup: SatelliteProofLookup,
    private readonly claims: OriginClaims,
    private readonly activation: SatelliteActivation,
  ) {}

  /**
   * Returns the satellite, now active; the sessions of one that was suspended continue. Its origin moves here
   * from an account that can no longer prove it. Throws `NOT_FOUND`, `SATELLITE_SUSPENDED` (by an operator),
   * `PROOF_EXPIRED` (there is a new token), `TOO_MANY_ATTEMPTS`, `PROOF_NOT_FOUND` with what was looked up
   * and what came back, or `ORIGIN_TAKEN`.
   */
  async verify(actor: AccountActor, id: string): Promise<RegisteredSatellite> {
    const found = await this.registry.find(actor.accountId, id)
    requireNotSuspendedByOperator(actor, found)
    await this.proofLookup.count(actor)
    await this.registry.requireFreshToken(found)
    const result = await this.proofLookup.look(found)
    if (!result.method) throw proofNotFound(result)
    const lost = await this.claims.holdersWithoutProof(found.satellite)
    // In its current state: since the look-up it may have been proven again, or suspended by an operator.
    return this.activation.activate(
      actor,
      found,
      result.method,
      now => isFailing(now) && lost.some(({ proof }) => proof.token === now.proof.token),
    )
  }
}

function proofNotFound(result: ProofResult): ApiError {
  return new ApiError('PROOF_NOT_FOUND', { errors: lookupsOf(result).map(lookupFault) })
}

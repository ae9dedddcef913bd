import { Injectable } from '@nestjs/common'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { ApiError } from '../errors/api-error.js'
import { lookupInWords } from '../satellites/proof/proof-lookup.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { type RegisteredSatellite, RegisteredSatellites } from './registered-satellites.js'
import { SatelliteProving } from './satellite-proving.js'

/** Proves satellites, at the request of those who may change the account's settings. */
@Injectable()
export class SatelliteVerification {
  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly proving: SatelliteProving,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Looks for the proof and activates the satellite; of a suspended one its sessions go on. An origin whose account can no
   * longer prove it moves here. Throws `NOT_FOUND`, `PROOF_EXPIRED` (there is a new token), `PROOF_NOT_FOUND` with what was
   * looked up and what came back, or `ORIGIN_TAKEN`.
   */
  async verify(actor: SessionActor, id: string): Promise<RegisteredSatellite> {
    const found = await this.database.run(db => this.registered.find(db, actor.accountId, id))
    await this.requireFreshToken(found)
    const { method, lookups } = await this.proving.look(found)
    if (!method)
      throw new ApiError('PROOF_NOT_FOUND', {
        errors: lookups.map(lookup => ({ field: 'proof', message: lookupInWords(lookup) })),
      })
    return this.database.transaction(async transaction => {
      const { satellite, proof } = await this.registered.find(transaction, actor.accountId, id)
      if (proof.token !== found.proof.token) throw new ApiError('PROOF_EXPIRED')
      await this.registered.recordProof(transaction, id, method)
      if (satellite.state !== 'active') {
        const former = await this.registered.requireFree(transaction, satellite.origin, actor.accountId)
        if (former) await this.registered.takeFrom(transaction, former)
        await this.registered.activate(transaction, satellite)
        await this.auditLog.record(
          transaction,
          auditEvent(actor, 'satellite.verify', { satellite: id, origin: satellite.origin, method }),
        )
      }
      return this.registered.find(transaction, actor.accountId, id)
    })
  }

  private async requireFreshToken({ satellite, proof }: RegisteredSatellite): Promise<void> {
    if (satellite.state !== 'pending' || proof.expiresAt > this.clock.now()) return
    await this.database.run(db => this.registered.renewToken(db, satellite.id))
    throw new ApiError('PROOF_EXPIRED')
  }
}

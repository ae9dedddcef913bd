import { Injectable } from '@nestjs/common'
import { NO_MAILS, type SendMails } from '../mail/after-commit-mail.js'
import type { Actor } from '../platform/audit/actor.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Clock } from '../platform/clock/clock.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { causeMessage } from '../platform/errors/cause-message.js'
import { Logger } from '../platform/log/logger.js'
import { ActorAuthority } from '../users/actor-authority.js'
import { OwnerNotices } from '../users/notices/owner-notices.js'
import { Users } from '../users/users.js'
import { lookupFault, lookupsOf, type ProofResult, SatelliteProofLookup } from './proof.js'
import {
  type AccountActor,
  isBarredByAnother,
  isFailing,
  lockHoldersElsewhere,
  lockOrigin,
  type ProofRow,
  type RegisteredSatellite,
  RegisteredSatellites,
  requireNotSuspendedByOperator,
  SatelliteProofs,
} from './registered-satellites.js'
import { OriginClaims, SatelliteRegistryService } from './registry.js'
import { SatelliteMails } from './mails.js'

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

/** Who is told that a satellite has become active: the account that had its origin before, and the owner. */
@Injectable()
export class ActivationNotices {
  private readonly logger = new Logger('ActivationNotices')

  constructor(
    private readonly mails: SatelliteMails,
    private readonly ownerNotices: OwnerNotices,
    private readonly users: Users,
    private readonly clock: Clock,
  ) {}

  /** Takes the transaction of the activation; call what it returns after the commit. It never rejects. */
  async about(transaction: Db, actor: AccountActor, activation: Activation): Promise<() => Promise<void>> {
    const sendToOwner = await this.ownerNotice(transaction, actor, activation)
    return async () => {
      sendToOwner()
      await this.notifyMoved(activation)
    }
  }

  /** Operators do not mail the owner: they may be adding hundreds of satellites, and no thief of a session is one. */
  private async ownerNotice(
    transaction: Db,
    { userId }: AccountActor,
    { isFirst, origin }: Activation,
  ): Promise<SendMails> {
    const by = isFirst && userId ? await this.users.lock(transaction, userId) : null
    if (!by) return NO_MAILS
    return this.ownerNotices.aboutSatellite(transaction, { by, origin, activatedAt: this.clock.now() })
  }

  private async notifyMoved({ former }: Activation): Promise<void> {
    for (const { satellite } of former)
      await this.mails
        .notifyMoved(satellite)
        .catch(error =>
          this.logger.error(
            `${satellite.accountId} was not told that ${satellite.origin} moved: ${causeMessage(error)}`,
          ),
        )
  }
}

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

import { Injectable } from '@nestjs/common'
import { NO_MAILS, type SendMails } from '../mail/mail.js'
import { SiteUrls } from '../mail/site-urls.js'
import type { Actor } from '../platform/audit/audit-event.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError, causeMessage } from '../platform/errors/api-error.js'
import { Logger } from '../platform/log.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { ActorAuthority } from '../users/actor-authority.js'
import { AccountAdmins, OwnerNotices } from '../users/notices.js'
import { Users } from '../users/users.js'
import { originMovedMail } from './mails.js'
import { lookupFault, SatelliteProofLookup } from './proof.js'
import {
  type AccountActor,
  holdersElsewhere,
  isBarredByAnother,
  isFailing,
  lockHoldersElsewhere,
  lockOrigin,
  type OriginClaim,
  type ProofRow,
  type RegisteredSatellite,
  RegisteredSatellites,
  requireNotSuspendedByOperator,
} from './registered-satellites.js'

/** Activates satellites whose proof is found, or that an operator vouches for. */
@Injectable()
export class SatelliteVerification {
  private readonly logger = new Logger('SatelliteVerification')

  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly proofLookup: SatelliteProofLookup,
    private readonly authority: ActorAuthority,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
    private readonly users: Users,
    private readonly ownerNotices: OwnerNotices,
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
  ) {}

  /**
   * Returns the satellite, now active; the sessions of one that was suspended continue. Its origin moves here
   * from an account that can no longer prove it. Throws `NOT_FOUND`, `SATELLITE_SUSPENDED` (by an operator),
   * `PROOF_EXPIRED` (there is a new token), `TOO_MANY_ATTEMPTS` (never for operators), `PROOF_NOT_FOUND` with what
   * was looked up and what came back, or `ORIGIN_TAKEN`.
   */
  async verify(actor: AccountActor, id: string): Promise<RegisteredSatellite> {
    const { accountId, client } = actor
    const found = await this.database.run(db => this.registered.find(db, accountId, id))
    requireNotSuspendedByOperator(actor, found)
    if (client) await this.rateLimiter.count({ kind: 'satellite check', subject: accountId, client, actor })
    await this.requireFreshToken(found)
    const result = await this.proofLookup.look(found.satellite.origin, found.proof.token)
    if (!result.method) {
      const { dns, file } = result.lookups
      throw new ApiError('PROOF_NOT_FOUND', { errors: [dns, ...(file ? [file] : [])].map(lookupFault) })
    }
    const lost = await this.holdersWithoutProof(found.satellite)
    // In its current state: since the look-up it may have been proven again, or suspended by an operator.
    return this.activate(
      actor,
      found,
      result.method,
      now => isFailing(now) && lost.some(({ proof }) => proof.token === now.proof.token),
    )
  }

  /**
   * Activates a satellite without any proof, for an operator; with `isMove` even if another account has the origin,
   * which it then loses. Returns the satellite. Throws like {@link activate}.
   */
  vouchFor(
    operator: AccountActor,
    found: RegisteredSatellite,
    { isMove }: { readonly isMove: boolean },
  ): Promise<RegisteredSatellite> {
    return this.activate(operator, found, 'operator', () => isMove)
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

  /**
   * The satellites of other accounts that have lost this origin: the daily check has notified those accounts, and a
   * look-up where their proof used to be confirms it now. For the others a check is scheduled soon.
   */
  private async holdersWithoutProof(claim: OriginClaim): Promise<RegisteredSatellite[]> {
    const holders = await this.database.run(db => holdersElsewhere(db, claim))
    await this.database.run(db => this.registered.expediteChecks(db, holders))
    const lost: RegisteredSatellite[] = []
    for (const holder of holders) if (isFailing(holder) && (await this.isGone(holder))) lost.push(holder)
    return lost
  }

  /** A missing answer is not enough. */
  private async isGone({ satellite, proof }: RegisteredSatellite): Promise<boolean> {
    const { method, lookups } = await this.proofLookup.look(satellite.origin, proof.token)
    const place = proof.method === 'file' ? lookups.file : lookups.dns
    return method === null && place?.isOutage === false
  }

  /**
   * Throws `ORIGIN_TAKEN` when another account has the origin and `mayTakeOverFrom` does not allow taking it,
   * `PROOF_EXPIRED` when the token has changed since `found` was read, `NOT_FOUND` when it is gone, and
   * `SATELLITE_SUSPENDED` while an operator keeps it closed, or keeps another satellite with the same hosts closed.
   */
  private async activate(
    actor: AccountActor,
    found: RegisteredSatellite,
    method: NonNullable<ProofRow['method']>,
    mayTakeOverFrom: (holder: RegisteredSatellite) => boolean,
  ): Promise<RegisteredSatellite> {
    const { id, origin } = found.satellite
    const { former, sendToOwner } = await this.database.transaction(async transaction => {
      await this.authority.lockAccount(transaction, actor, 'accountSettings')
      await lockOrigin(transaction, origin)
      const current = await this.registered.lock(transaction, actor.accountId, id)
      requireNotSuspendedByOperator(actor, current)
      const { satellite, proof } = current
      if (proof.token !== found.proof.token) throw new ApiError('PROOF_EXPIRED')
      // If an operator vouches for it, that stays so even when a member of the account proves it too.
      await this.registered.recordFound(transaction, id, proof.method === 'operator' ? proof.method : method)
      const event = auditEvent(actor, 'satellite.verify', { satellite: id, origin, method })
      if (satellite.state === 'active') {
        if (method === 'operator' && proof.method !== method) await this.auditLog.record(transaction, event)
        return { former: [], sendToOwner: NO_MAILS }
      }
      const holders = await lockHoldersElsewhere(transaction, satellite)
      if (!holders.every(mayTakeOverFrom)) throw new ApiError('ORIGIN_TAKEN')
      if (actor.client && (await isBarredByAnother(transaction, satellite)))
        throw new ApiError('SATELLITE_SUSPENDED', {
          detail: 'An operator has suspended another satellite that has hosts in common with this one',
        })
      for (const holder of holders) await this.takeFrom(holder, transaction, actor.operator)
      const activeSince = await this.registered.activate(transaction, satellite)
      await this.auditLog.record(transaction, event)
      // Null before it was ever active, and after another account has had its origin.
      const isNews = satellite.activeSince === null
      return {
        former: holders,
        sendToOwner: isNews ? await this.ownerNotice(transaction, actor, origin, activeSince) : NO_MAILS,
      }
    })
    sendToOwner()
    for (const holder of former) await this.notifyMoved(holder)
    return this.database.run(db => this.registered.find(db, actor.accountId, id))
  }

  /** Its account learns which operator took it, but not which account has it now. */
  private async takeFrom(
    { satellite: { id, accountId, origin } }: RegisteredSatellite,
    transaction: Db,
    operator: Actor['operator'],
  ): Promise<void> {
    await this.registered.release(transaction, id)
    const actor = { accountId, client: null, ...(operator && { operator }) }
    await this.auditLog.record(transaction, auditEvent(actor, 'satellite.move', { satellite: id, origin }))
  }

  /** Operators do not mail the owner: they may be adding hundreds of satellites, and none has a stolen session. */
  private async ownerNotice(
    transaction: Db,
    { userId }: AccountActor,
    origin: string,
    activatedAt: Date,
  ): Promise<SendMails> {
    const by = userId ? await this.users.lock(transaction, userId) : null
    return by ? this.ownerNotices.satelliteActivated(transaction, { by, origin, activatedAt }) : NO_MAILS
  }

  /** The activation is committed, so a mail that fails must not turn it into an error. */
  private async notifyMoved({ satellite }: RegisteredSatellite): Promise<void> {
    const { accountId, origin } = satellite
    try {
      await this.admins.mail(accountId, words => originMovedMail(words, this.urls, satellite))
    } catch (error) {
      this.logger.error(`${accountId} was not told that ${origin} moved: ${causeMessage(error)}`)
    }
  }
}

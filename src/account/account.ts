import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { NO_MAILS } from '../mail/mail.js'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { HANDOFF_REQUIREMENTS, type HandoffRequirement } from '../platform/database/schema/columns.js'
import { ApiError } from '../platform/errors/api-error.js'
import { DocumentedGuard } from '../platform/http/endpoint.js'
import { requestOf } from '../platform/http/request.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { type AfterCommit, followedBy, SessionChanges } from '../sessions/changes.js'
import { requireIdleTimeout } from '../sessions/idle-seconds.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { Session } from '../sessions/session.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { type Account, Accounts } from '../users/accounts.js'
import { ActorAuthority, requireOwner } from '../users/actor-authority.js'
import { AccountAdmins } from '../users/notices.js'
import { PendingTransfers } from '../users/pending-changes.js'
import { Users } from '../users/users.js'
import { transferAnswer } from './transfer.js'

/**
 * Lets only the owner of the account pass, according to the database, not to permissions. Runs after
 * MainSourceGuard.
 */
@Injectable()
@DocumentedGuard({
  refusals: [
    'OWNER_REQUIRED',
    'SECOND_FACTOR_ENROLMENT_REQUIRED',
    'SESSION_NOT_FOUND',
    'DATABASE_UNAVAILABLE',
  ],
})
export class OwnerGuard implements CanActivate {
  constructor(private readonly users: Users) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const session = requestOf(context).session as Session
    requireOwner(await this.users.find(session.userId))
    return true
  }
}

/** What is to become of an account; what is left out stays. */
interface AccountChange {
  readonly name?: string
  readonly handoffRequired?: HandoffRequirement
  readonly idleSeconds?: number | null
}

/** The account, as its administrators see and change it. */
@Injectable()
export class AccountService {
  constructor(
    private readonly accounts: Accounts,
    private readonly transfers: PendingTransfers,
    private readonly authority: ActorAuthority,
    private readonly reauthentication: Reauthentication,
    private readonly sessionChanges: SessionChanges,
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
    private readonly rateLimiter: RateLimiter,
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the account has just gone. */
  async read({ accountId }: Pick<Session, 'accountId'>) {
    const account = await this.accounts.find(accountId)
    return this.database.run(async db => {
      if (!account) throw new ApiError('SESSION_NOT_FOUND')
      const { name, handoffRequired, idleSeconds, createdAt, deleteAt } = account
      const found = await this.transfers.findOpen(db, accountId)
      const transfer = found && { ...transferAnswer(found), email: found.email, name: found.name }
      const { deletionGraceSeconds, transferWaitSeconds } = this.settings
      return {
        accountId,
        name,
        handoffRequired,
        idleSeconds,
        createdAt,
        deletionGraceSeconds,
        transferWaitSeconds,
        deleteAt,
        transfer,
      }
    })
  }

  /**
   * Changes the fields that are given. Where passwords may be typed on satellites, their servers see them, and where
   * sessions last longer, whoever finds one open has longer to use it: an attacker at an unlocked browser must not be
   * able to allow that, so it takes a re-authentication.
   */
  async change(actor: SessionActor, change: AccountChange) {
    const { handoffRequired, idleSeconds } = change
    requireIdleTimeout(this.settings, idleSeconds)
    if ((handoffRequired ?? 'everyone') !== 'everyone' || (await this.isLonger(actor, idleSeconds)))
      await this.reauthentication.requireLookingUpFactor(actor)
    await this.sessionChanges.commit(async transaction => {
      const { account } = await this.authority.lock(transaction, actor, 'accountSettings')
      await this.auditLog.record(transaction, auditEvent(actor, 'account.change', { ...change }))
      await this.accounts.change(transaction, account.id, change)
      const afterCommit =
        handoffRequired === undefined || handoffRequired === 'everyone'
          ? NO_MAILS
          : await this.noticeIfLoosened(transaction, account, handoffRequired, actor)
      const isOfSessions = idleSeconds !== undefined && idleSeconds !== account.idleSeconds
      const changes = isOfSessions ? [{ kind: 'permissions', accountId: account.id } as const] : []
      return followedBy(await this.sessionChanges.record(transaction, changes, null), afterCommit)
    })
    return this.read(actor)
  }

  /** Whether sessions may go unused for longer than now. */
  private async isLonger(
    { accountId }: SessionActor,
    idleSeconds: number | null | undefined,
  ): Promise<boolean> {
    if (idleSeconds === undefined) return false
    const account = await this.accounts.find(accountId)
    const [before, after] = [account?.idleSeconds, idleSeconds].map(seconds => seconds ?? Infinity)
    return (after as number) > (before as number)
  }

  /**
   * Mails the administrators, as they are in this transaction, if hand-offs are now required of fewer users. Three
   * times an hour for each requirement, counted after the commit: a slow Redis must not hold locks.
   */
  private async noticeIfLoosened(
    transaction: Db,
    before: Account,
    required: Exclude<HandoffRequirement, 'everyone'>,
    { client }: SessionActor,
  ): Promise<AfterCommit> {
    const [effect, previous] = [this.effectOf(required), this.effectOf(before.handoffRequired)]
    if (HANDOFF_REQUIREMENTS.indexOf(effect) >= HANDOFF_REQUIREMENTS.indexOf(previous)) return NO_MAILS
    const send = await this.admins.notice(transaction, before.id, words =>
      words.mail('handoffLoosened', {
        site: this.urls.siteName,
        url: this.urls.satellitesPage(),
        whom: words.phrase(`handoff.${effect}`),
      }),
    )
    const counted = {
      kind: 'privilege notice',
      subject: `${before.id} hand-offs ${required}`,
      client,
    } as const
    return async () => {
      if (await this.rateLimiter.isAllowed(counted)) send()
    }
  }

  /** With OWNERS_ON_SATELLITES=barred, owners are handed off whatever the account requires. */
  private effectOf<T extends HandoffRequirement>(required: T): T | 'owners' {
    return required === 'none' && !this.settings.mayOwnersUseSatellites ? 'owners' : required
  }
}

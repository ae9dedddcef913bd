import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { Clock } from '../../platform/time.js'
import { NOTHING_RECORDED, type RecordedChanges } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session } from '../../sessions/session.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { Account } from '../../users/accounts.js'
import type { User } from '../../users/user.js'
import { PolicyAuthority } from './policy-authority.js'
import { PolicyEnforcement } from './policy-enforcement.js'
import { PolicyMails } from './policy-mails.js'
import { changesWhoIsOverdue, isSame, type PolicyChange, policyAfter } from './policy-rules.js'
import { SecondFactorPolicies } from './second-factor-policies.js'
import type { PolicyAnswer } from './second-factor-policy.dto.js'

/** Changes what an account requires, in the transaction of a caller who has locked it. */
@Injectable()
export class PolicyChanges {
  constructor(
    private readonly policies: SecondFactorPolicies,
    private readonly enforcement: PolicyEnforcement,
    private readonly mails: PolicyMails,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Without a grace period it applies at once. Throws `SECOND_FACTOR_MISSING` (409) when it would concern the
   * calling user, who has none: they would lock themselves out of undoing it. Mails the account's administrators after
   * the commit, unless everything stays as it was.
   */
  async make(
    transaction: Db,
    actor: SessionActor,
    { account, user }: { account: Account; user: User },
    change: PolicyChange,
  ): Promise<RecordedChanges> {
    const isConcerned = await this.policies.concerns(transaction, change.required, user)
    if (isConcerned && !user.hasSecondFactor) throw new ApiError('SECOND_FACTOR_MISSING')
    const policy = policyAfter(account, change, this.clock.now())
    await this.policies.write(transaction, account.id, policy)
    const { secondFactor: required, secondFactorFrom: from, paymentStepUpMinutes } = policy
    const detail = { step: 'set', required, from, paymentStepUpMinutes }
    await this.auditLog.record(transaction, auditEvent(actor, 'second-factor.policy', detail))
    const recorded = changesWhoIsOverdue(account, policy)
      ? await this.enforcement.apply(transaction, account.id)
      : NOTHING_RECORDED
    if (isSame(account, policy)) return recorded
    return { ...recorded, afterCommit: await this.mails.aboutChanged(transaction, account.id, policy) }
  }
}

/** What an account requires of its users. */
@Injectable()
export class SecondFactorPolicyService {
  constructor(
    private readonly authority: PolicyAuthority,
    private readonly policies: SecondFactorPolicies,
    private readonly policyChanges: PolicyChanges,
    private readonly changes: SessionChanges,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /** Throws `SESSION_NOT_FOUND` when the account is gone and the session store has not caught up. */
  async read({ accountId }: Pick<Session, 'accountId'>): Promise<PolicyAnswer> {
    const found = await this.policies.find(accountId)
    if (!found) throw new ApiError('SESSION_NOT_FOUND')
    const { secondFactor: required, secondFactorFrom: requiredFrom, paymentStepUpMinutes } = found
    return {
      required,
      requiredFrom,
      paymentStepUpMinutes,
      ...(await this.policies.coverage(accountId, required)),
    }
  }

  /**
   * Throws like {@link PolicyAuthority.lock} and {@link PolicyChanges.make}, and `TOO_MANY_ATTEMPTS`. Mails the
   * account's administrators, if anything changes.
   */
  async change(actor: SessionActor, change: PolicyChange): Promise<PolicyAnswer> {
    // Counted per requirement, so that nobody is refused for trying them out, and per user, so that somebody who
    // relaxes the rules does not keep others from tightening them.
    const subject = `${actor.userId} ${change.required}`
    const counted = await this.rateLimiter.countMailBy(actor, subject, actor.client)
    const { afterCommit: mailing } = await counted.refundIfRejected(this.makeAndCommit(actor, change))
    if (!mailing) await counted.refund()
    return this.read(actor)
  }

  private makeAndCommit(actor: SessionActor, change: PolicyChange) {
    return this.changes.commit(async transaction => {
      const locked = await this.authority.lock(transaction, actor)
      return this.policyChanges.make(transaction, actor, locked, change)
    })
  }
}

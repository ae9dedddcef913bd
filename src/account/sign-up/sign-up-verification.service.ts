import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { Clock } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import { Passwords } from '../../users/passwords/passwords.js'
import { initialGrant, type NewUser } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { type PendingSignUp, PendingSignUps } from './pending-sign-ups.js'

@Injectable()
export class SignUpVerification {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly pending: PendingSignUps,
    private readonly rateLimiter: RateLimiter,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Creates the account and its owner. The link proves that the caller reads the mailbox; the password proves
   * that they are the one who signed up. With a wrong one (`INVALID_CREDENTIALS`) the link stays valid. Of
   * two calls at once one succeeds. Throws `INVALID_LINK`, and `EMAIL_TAKEN` when the address has got a user
   * in the meantime.
   */
  async verify(token: string, password: string, client: Client): Promise<NewUser> {
    const found = await this.pending.find(token, client)
    if (!found) throw this.refusal('INVALID_LINK', client, { reason: 'invalid link' })
    const guess = { kind: 'password', subject: found.email, client } as const
    // Whoever has the link owns this mailbox, so other people's failures at this address do not count against
    // them.
    const counted = await this.rateLimiter.count(guess, async () => true)
    try {
      if (!(await this.passwords.verify(found.passwordHash, password, client)))
        throw this.refusal('INVALID_CREDENTIALS', client, { reason: 'wrong password', email: found.email })
      const owner = await this.makeAccount(found, token, client)
      await counted.succeeded()
      return owner
    } catch (error) {
      await counted.threw(error)
      throw error
    }
  }

  private refusal(
    code: 'INVALID_LINK' | 'INVALID_CREDENTIALS',
    client: Client,
    detail: Readonly<Record<string, string>>,
  ): ApiError {
    this.auditLog.note({ action: 'email.verify', outcome: 'failed', client, detail })
    return new ApiError(code)
  }

  private async makeAccount(found: PendingSignUp, token: string, client: Client): Promise<NewUser> {
    const owner: NewUser = {
      ...found,
      id: randomUUID(),
      accountId: randomUUID(),
      role: 'owner',
      granted: initialGrant('owner'),
      satellites: null,
      disabledAt: null,
      createdAt: this.clock.now(),
    }
    const about = { outcome: 'ok', userId: owner.id, accountId: owner.accountId, client } as const
    await this.database.transaction(async transaction => {
      await this.users.addAccount(transaction, owner.accountId, owner.createdAt)
      // Before the links: two sign-ups for one address wait for each other here, where neither holds what the
      // other needs.
      await this.users.add(transaction, owner)
      await this.pending.complete(transaction, token)
      await this.auditLog.record(transaction, { action: 'email.verify', ...about })
      await this.auditLog.record(transaction, { action: 'account.create', ...about })
    })
    return owner
  }
}

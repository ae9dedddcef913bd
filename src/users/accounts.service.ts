import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { OPERATOR, type TargetUser } from '../audit/actor.js'
import { auditEventOf } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { OneTimeTokens } from '../links/one-time-tokens.js'
import type { Permissions } from '../permissions/permissions.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import { OPERATORS_AUTHORITY } from './authority.js'
import type { Email } from './email.js'
import { Passwords } from './passwords/passwords.js'
import { initialGrant, type NewUser, type Role, type User } from './user.js'
import { Users } from './users.js'

/** Accounts and their users, as operators and managers change them. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly tokens: OneTimeTokens,
    private readonly changes: SessionChanges,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** A new account with its owner; throws `EMAIL_TAKEN`. */
  async createAccount(email: Email, password: string): Promise<User> {
    const owner = await this.newUser(randomUUID(), email, password, 'owner')
    return this.database.transaction(async transaction => {
      await this.users.addAccount(transaction, owner.accountId, owner.createdAt)
      const added = await this.users.add(transaction, owner)
      await this.auditLog.record(transaction, auditEventOf(owner, OPERATOR, 'account.create'))
      return added
    })
  }

  /** A new member of an account; throws `EMAIL_TAKEN`. */
  async createMember(accountId: string, email: Email, password: string): Promise<User> {
    const member = await this.newUser(accountId, email, password, 'member')
    return this.database.transaction(async transaction => {
      const added = await this.users.add(transaction, member)
      await this.auditLog.record(transaction, auditEventOf(member, OPERATOR, 'user.create'))
      return added
    })
  }

  /** Sets exactly these permissions; live sessions get them at their next refresh. */
  async grant(user: TargetUser, granted: Permissions, authority = OPERATORS_AUTHORITY): Promise<void> {
    await this.changes.applyDurably(
      { kind: 'regrant', userId: user.id, granted },
      auditEventOf(user, authority.actor, 'permissions.change', { granted }),
      async transaction => {
        await authority.check(transaction)
        await this.users.setGranted(transaction, user.id, granted)
      },
    )
  }

  /** Ends all sessions of a user; returns how many. */
  endSessions(user: TargetUser, authority = OPERATORS_AUTHORITY): Promise<number> {
    return this.changes.applyDurably(
      { kind: 'end-all', userId: user.id },
      auditEventOf(user, authority.actor, 'session.revoke', { all: true }),
      authority.check,
    )
  }

  /** Disables a user and ends all their sessions; returns how many. */
  disable(user: TargetUser, authority = OPERATORS_AUTHORITY): Promise<number> {
    return this.changes.applyDurably(
      { kind: 'end-all', userId: user.id },
      auditEventOf(user, authority.actor, 'user.disable'),
      async transaction => {
        await authority.check(transaction)
        await this.users.disable(transaction, user.id, this.clock.now())
        // Whoever requested these links may be the reason; once enabled, the user can request new ones.
        await this.tokens.withdraw(transaction, 'email-change', user.id)
        await this.tokens.withdraw(transaction, 'password-reset', user.id)
      },
    )
  }

  /** Lets a disabled user log in again; earlier sessions stay ended. */
  async enable(user: TargetUser, authority = OPERATORS_AUTHORITY): Promise<void> {
    await this.database.transaction(async transaction => {
      await authority.check(transaction)
      await this.users.enable(transaction, user.id)
      await this.auditLog.record(transaction, auditEventOf(user, authority.actor, 'user.enable'))
    })
  }

  private async newUser(accountId: string, email: Email, password: string, role: Role): Promise<NewUser> {
    return {
      id: randomUUID(),
      accountId,
      email,
      name: null,
      role,
      granted: initialGrant(role),
      satellites: null,
      passwordHash: await this.passwords.hash(password, null),
      disabledAt: null,
      createdAt: this.clock.now(),
    }
  }
}

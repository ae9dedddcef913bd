import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { OPERATOR, type TargetUser } from '../audit/actor.js'
import { auditEventOf } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import type { Permissions } from '../permissions/permissions.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Email } from './email.js'
import { Passwords } from './passwords/passwords.js'
import { initialGrant, type NewUser, type Role, type User } from './user.js'
import { UserChanges } from './user-changes.js'
import { Users } from './users.js'

/** Accounts and their users, as operators change them. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly userChanges: UserChanges,
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
  async grant(user: TargetUser, granted: Permissions): Promise<void> {
    await this.changes.durably(transaction => this.userChanges.grant(transaction, user, granted, OPERATOR))
  }

  /** Ends all sessions of a user; returns how many. */
  async endSessions(user: TargetUser): Promise<number> {
    const change = (transaction: Db) => this.userChanges.endSessions(transaction, user, OPERATOR)
    return (await this.changes.durably(change)).ended
  }

  /** Disables a user and ends all their sessions; returns how many. */
  async disable(user: TargetUser): Promise<number> {
    const change = (transaction: Db) => this.userChanges.disable(transaction, user, OPERATOR)
    return (await this.changes.durably(change)).ended
  }

  /** Lets a disabled user log in again; earlier sessions stay ended. */
  async enable(user: TargetUser): Promise<void> {
    await this.changes.durably(transaction => this.userChanges.enable(transaction, user, OPERATOR))
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

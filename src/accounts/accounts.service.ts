import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { AuditLog } from '../audit/audit-log.js'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import type { Permissions } from '../permissions/permissions.js'
import { SessionChanges } from '../sessions/session-changes.js'
import type { Email } from './email.js'
import { Passwords } from './passwords.js'
import { initialGrant, type Role, type User } from './user.js'
import { Users } from './users.js'

/** Accounts and their users, as operators manage them. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly changes: SessionChanges,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** A new account with its owner; throws `EMAIL_TAKEN`. */
  async createAccount(email: Email, password: string): Promise<User> {
    const owner = await this.newUser(randomUUID(), email, password, 'owner')
    return this.database.transaction(async transaction => {
      await this.users.addAccount(transaction, owner.accountId, owner.createdAt)
      await this.users.add(transaction, owner)
      await this.auditLog.record(transaction, {
        action: 'account.create',
        outcome: 'ok',
        userId: owner.id,
        accountId: owner.accountId,
        client: null,
      })
      return owner
    })
  }

  /** A new member of an account; throws `EMAIL_TAKEN`. */
  async createMember(accountId: string, email: Email, password: string): Promise<User> {
    const member = await this.newUser(accountId, email, password, 'member')
    return this.database.transaction(async transaction => {
      await this.users.add(transaction, member)
      await this.auditLog.record(transaction, {
        action: 'user.create',
        outcome: 'ok',
        userId: member.id,
        accountId,
        client: null,
      })
      return member
    })
  }

  /** Grants exactly these permissions; live sessions have them at their next refresh. */
  async grant({ id, accountId }: User, granted: Permissions): Promise<void> {
    await this.changes.make(
      { kind: 'regrant', userId: id, granted },
      {
        action: 'permissions.change',
        outcome: 'ok',
        userId: id,
        accountId,
        client: null,
        detail: { granted },
      },
      transaction => this.users.setGranted(transaction, id, granted),
    )
  }

  /** Ends all sessions of a user; says how many there were. */
  endSessions({ id, accountId }: User): Promise<number> {
    return this.changes.make(
      { kind: 'end-all', userId: id },
      { action: 'session.revoke', outcome: 'ok', userId: id, accountId, client: null, detail: { all: true } },
    )
  }

  /** Lets a user log in no more and ends all sessions; says how many there were. */
  disable({ id, accountId }: User): Promise<number> {
    return this.changes.make(
      { kind: 'end-all', userId: id },
      { action: 'user.disable', outcome: 'ok', userId: id, accountId, client: null },
      transaction => this.users.disable(transaction, id, this.clock.now()),
    )
  }

  /** Lets a disabled user log in again; the sessions of before stay ended. */
  async enable({ id, accountId }: User): Promise<void> {
    await this.database.transaction(async transaction => {
      await this.users.enable(transaction, id)
      await this.auditLog.record(transaction, {
        action: 'user.enable',
        outcome: 'ok',
        userId: id,
        accountId,
        client: null,
      })
    })
  }

  private async newUser(accountId: string, email: Email, password: string, role: Role): Promise<User> {
    return {
      id: randomUUID(),
      accountId,
      email,
      name: null,
      role,
      granted: initialGrant(role),
      satellites: null,
      passwordHash: await this.passwords.hash(password),
      disabledAt: null,
      createdAt: this.clock.now(),
    }
  }
}

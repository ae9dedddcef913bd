import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { NO_MAILS } from '../mail/mail.js'
import { type Actor, SERVICE, type TargetUser } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import type { Permissions } from '../platform/permissions.js'
import { followedBy } from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { Email } from './email.js'
import { Passwords } from './passwords/passwords.js'
import { PendingAccountChanges } from './pending/pending-account-changes.js'
import { initialGrant, type User } from './user.js'
import { UserChanges } from './user-changes.js'
import { Users } from './users.js'

/** Accounts and users that operators create, without an invitation or a proof of the address. */
@Injectable()
export class UserCreation {
  constructor(
    private readonly database: Database,
    private readonly passwords: Passwords,
    private readonly userChanges: UserChanges,
  ) {}

  /** Creates an account with its owner; throws `EMAIL_TAKEN`. */
  createAccount(email: Email, password: string, actor: Actor = SERVICE): Promise<User> {
    return this.create({ accountId: randomUUID(), email, role: 'owner' }, password, actor)
  }

  /** Creates a member of an account; throws `EMAIL_TAKEN`. */
  createMember(accountId: string, email: Email, password: string): Promise<User> {
    return this.create({ accountId, email, role: 'member' }, password, SERVICE)
  }

  private async create(
    known: Pick<User, 'accountId' | 'email' | 'role'>,
    password: string,
    actor: Actor,
  ): Promise<User> {
    const user = {
      ...known,
      id: randomUUID(),
      name: null,
      granted: initialGrant(known.role),
      satellites: null,
      passwordHash: await this.passwords.hash(password, null),
    }
    return this.database.transaction(transaction => this.userChanges.create(transaction, user, actor))
  }
}

/** What operators can change about accounts and users, at the command line or in the console. */
@Injectable()
export class UserAdministration {
  constructor(
    private readonly users: Users,
    private readonly pending: PendingAccountChanges,
    private readonly userChanges: UserChanges,
    private readonly changes: SessionChanges,
  ) {}

  /** Sets exactly these permissions; live sessions get them at their next refresh. */
  async grant(
    user: TargetUser & Pick<User, 'granted'>,
    granted: Permissions,
    actor: Actor = SERVICE,
  ): Promise<void> {
    await this.changes.commit(transaction => this.userChanges.grant(transaction, user, granted, actor))
  }

  /** Ends all sessions of a user; returns how many. */
  async endSessions(user: TargetUser, actor: Actor = SERVICE): Promise<number> {
    const change = (transaction: Db) => this.userChanges.endSessions(transaction, user, actor)
    return (await this.changes.commit(change)).ended
  }

  /**
   * Disables a user and ends all their sessions; returns how many. Nobody in the account can undo it. If it is
   * an owner, this cancels a pending transfer or deletion of the account: a thief may have requested it, and the
   * owner can no longer stop it. If it is the future owner, it cancels the transfer too.
   */
  async disable(user: TargetUser, actor: Actor = SERVICE): Promise<number> {
    const { ended } = await this.changes.commit(async transaction => {
      const { user: current } = await this.users.lockWithAccount(transaction, user)
      const sendCancelledNotice = current
        ? await this.pending.cancelAll(transaction, current, actor, 'disabled')
        : NO_MAILS
      const disabled = await this.userChanges.disable(transaction, [user], actor, 'operator')
      return followedBy(disabled, sendCancelledNotice)
    })
    return ended
  }

  /** Lets a disabled user log in again; earlier sessions stay ended. */
  async enable(user: TargetUser, actor: Actor = SERVICE): Promise<void> {
    await this.changes.commit(transaction => this.userChanges.enable(transaction, user, actor))
  }
}

import { Injectable } from '@nestjs/common'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { type AuditOutcome, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import type { HandoffRequirement } from '../../platform/database/schema/columns.js'
import { builtOnce } from '../../platform/database/statement.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { Email } from '../../users/email.js'
import { Passwords } from '../../users/passwords/passwords.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { LoginPolicy } from '../login-policy.js'
import type { LoginBody } from './login.dto.js'

/** A user, with what their account says about where they may log in. */
export interface LoginUser extends User {
  readonly handoffRequired: HandoffRequirement
}

const byEmail = builtOnce(db =>
  db
    .select({ ...getTableColumns(users), handoffRequired: accounts.handoffRequired })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(eq(users.email, sql.placeholder('email')))
    .prepare(''),
)

@Injectable()
export class Credentials {
  constructor(
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly loginPolicy: LoginPolicy,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
  ) {}

  /**
   * Throws `HANDOFF_REQUIRED` where nobody may type a password. The answer is the same for every address and
   * every password.
   */
  requirePasswordsAllowed({ email }: LoginBody, client: Client): void {
    if (!this.loginPolicy.isHandoffOnly(client.origin)) return
    this.noteFailure('refused', 'hand-off required', email, null, client)
    throw new ApiError('HANDOFF_REQUIRED')
  }

  /**
   * The user with this password who may log in there. Unknown, disabled, wrong and out of scope are all
   * `INVALID_CREDENTIALS` after the same work. Throws `OWNER_LOGIN_BARRED` before that. Replaces an imported
   * hash.
   */
  async check(login: LoginBody, client: Client): Promise<LoginUser> {
    const { email, password, source } = login
    const site = { source, origin: client.origin }
    const user = await this.find(email)
    if (user && this.loginPolicy.isBarredOwner(user, site)) {
      this.noteFailure('refused', 'owner on a satellite', email, user, client)
      throw new ApiError('OWNER_LOGIN_BARRED')
    }
    const usableHash = user && !user.disabledAt ? user.passwordHash : null
    const isRight = await this.passwords.verify(usableHash, password, client)
    if (user && isRight && this.loginPolicy.isInScope(user, site))
      return this.withCurrentHash(user, login, client)
    this.noteFailure('failed', reasonOf(user, isRight), email, user, client)
    throw new ApiError('INVALID_CREDENTIALS')
  }

  /** Null when nobody has the address. In one statement: the cost of a login is mostly a few of them. */
  private async find(email: Email): Promise<LoginUser | null> {
    const [row] = await this.database.run(db => byEmail(db).execute({ email }))
    return (row as LoginUser | undefined) ?? null
  }

  /**
   * The user, with a current hash instead of an imported or weaker one. Done before the login is recorded. Of
   * several concurrent first logins, one replaces the hash, and the others check again.
   */
  private async withCurrentHash(user: LoginUser, login: LoginBody, client: Client): Promise<LoginUser> {
    if (!this.passwords.needsRehash(user.passwordHash as string)) return user
    const passwordHash = await this.passwords.hash(login.password, client)
    const isReplaced = await this.database.run(db => this.users.replaceHash(db, user, passwordHash))
    return isReplaced ? { ...user, passwordHash } : this.check(login, client)
  }

  private noteFailure(
    outcome: AuditOutcome,
    reason: string,
    email: Email,
    user: User | null,
    client: Client,
  ): void {
    const actor = { userId: user?.id, accountId: user?.accountId, client }
    this.auditLog.enqueue(auditEvent(actor, 'login', { reason, email }), outcome)
  }
}

function reasonOf(user: User | null, isRight: boolean): string {
  if (!user) return 'unknown user'
  if (user.disabledAt) return 'disabled'
  return isRight ? 'not invited to this site' : 'wrong password'
}

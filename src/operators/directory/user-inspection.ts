import { Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { Accounts } from '../../users/accounts.js'
import { Users } from '../../users/users.js'
import type { OperatorActor } from '../operator.guard.js'
import { DirectoryAudit } from './directory-audit.js'
import { LoginDetails } from './login-details.js'
import { shownUser } from './shown-user.js'

/** What operators see of a user. */
@Injectable()
export class UserInspection {
  constructor(
    private readonly users: Users,
    private readonly accounts: Accounts,
    private readonly logins: LoginDetails,
    private readonly audit: DirectoryAudit,
  ) {}

  /** Throws `NOT_FOUND`. */
  async show(id: string, actor: OperatorActor) {
    const user = await this.users.find(id)
    if (!user) throw new ApiError('NOT_FOUND')
    await this.audit.recordView(user, actor)
    const [account, login, log] = await Promise.all([
      this.accounts.find(user.accountId),
      this.logins.of(user, actor),
      this.audit.latestOf(user),
    ])
    return {
      ...shownUser(user),
      accountName: account?.name ?? null,
      granted: user.granted,
      allowedSatellites: user.satellites,
      ...login,
      ...log,
    }
  }
}

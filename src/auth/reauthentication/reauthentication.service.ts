import { Injectable } from '@nestjs/common'
import { Settings } from '../../config/settings.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { Session } from '../../sessions/session.js'
import { Users } from '../../users/users.js'
import { isBarredOwner } from '../login/login-place.js'
import { PasswordProof } from './password-proof.js'
import { ReauthenticationRecord } from './reauthentication-record.js'

@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly users: Users,
    private readonly passwordProof: PasswordProof,
    private readonly records: ReauthenticationRecord,
    private readonly settings: Settings,
  ) {}

  /**
   * Marks the session when the password is its user's, and returns until when that is valid. Refuses like
   * {@link PasswordProof}. An owner who may not log in at satellites may not do this there either. Safe to
   * repeat.
   */
  async prove(session: Session, password: string, client: Client): Promise<Date> {
    const user = await this.users.find(session.userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const place = { source: session.source, origin: client.origin }
    if (isBarredOwner(user, place, this.settings)) throw new ApiError('OWNER_LOGIN_BARRED')
    await this.passwordProof.require(user, password, { action: 'reauthenticate', sid: session.sid, client })
    return this.records.stamp(user, session, client)
  }
}

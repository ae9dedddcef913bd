import { Injectable } from '@nestjs/common'
import { RememberedDevices } from '../../factors/remembered-devices.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { causeMessage, isRefusal } from '../../platform/errors/api-error.js'
import { deviceName } from '../../platform/http/request.js'
import { Logger } from '../../platform/log.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { Users } from '../../users/users.js'
import type { LoginContext } from '../login/login-context.js'
import type { LoggedIn } from '../login/login-sessions.js'

/** Remembers browsers that have just used a second factor. */
@Injectable()
export class DeviceMemory {
  private readonly logger = new Logger('DeviceMemory')

  constructor(
    private readonly devices: RememberedDevices,
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Remembers the browser of this new session; returns the token for it to keep. Throws `SESSION_NOT_FOUND` when
   * the session has ended in the meantime, for example because of a new password, which forgets all devices. Null
   * during an outage: the login itself is complete, and its code is used up.
   */
  async remember(loggedIn: LoggedIn, context: LoginContext): Promise<string | null> {
    try {
      return await this.add(loggedIn, context)
    } catch (error) {
      if (isRefusal(error)) throw error
      this.logger.warn(`A device could not be remembered: ${causeMessage(error)}`)
      return null
    }
  }

  private add({ session }: LoggedIn, { client }: LoginContext): Promise<string> {
    const { userId } = session
    return this.database.transaction(async transaction => {
      await this.users.lock(transaction, userId)
      await this.changes.requireNotRevoked(transaction, session)
      const { id, token } = await this.devices.remember(transaction, userId, deviceName(client.userAgent))
      await this.auditLog.record(transaction, auditEvent({ ...session, client }, 'device.remember', { id }))
      return token
    })
  }
}

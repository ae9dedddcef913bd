import { Injectable } from '@nestjs/common'
import { RememberedDevices } from '../../factors/remembered-devices.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import type { SessionActor } from '../../sessions/session-actor.js'

/** The browsers of one user that are not asked for a second factor. */
@Injectable()
export class OwnRememberedDevices {
  constructor(
    private readonly devices: RememberedDevices,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** The newest first; `token` is this browser's. */
  list(userId: string, token: string | null) {
    return this.devices.list(userId, token)
  }

  /** Forgets one of them, or all; ignores an id that is unknown or another user's. Safe to repeat. */
  async forget(actor: SessionActor, id?: string): Promise<void> {
    await this.database.transaction(async transaction => {
      const forgotten = await this.devices.forget(transaction, actor.userId, id)
      const events = forgotten.map(device => auditEvent(actor, 'device.forget', { id: device.id }))
      await this.auditLog.recordAll(transaction, events)
    })
  }
}

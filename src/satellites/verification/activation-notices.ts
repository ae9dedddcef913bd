import { Injectable } from '@nestjs/common'
import { NO_MAILS, type SendMails } from '../../mail/mail.js'
import type { Db } from '../../platform/database/connection.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { Clock } from '../../platform/time.js'
import { OwnerNotices } from '../../users/notices/owner-notices.js'
import { Users } from '../../users/users.js'
import type { AccountActor } from '../registered-satellite.js'
import { SatelliteMails } from '../satellite-mails.js'
import type { Activation } from './satellite-takeover.js'

/** Who is told that a satellite has become active: the account that had its origin before, and the owner. */
@Injectable()
export class ActivationNotices {
  private readonly logger = new Logger('ActivationNotices')

  constructor(
    private readonly mails: SatelliteMails,
    private readonly ownerNotices: OwnerNotices,
    private readonly users: Users,
    private readonly clock: Clock,
  ) {}

  /** Takes the transaction of the activation; call what it returns after the commit. It never rejects. */
  async about(transaction: Db, actor: AccountActor, activation: Activation): Promise<() => Promise<void>> {
    const sendToOwner = await this.ownerNotice(transaction, actor, activation)
    return async () => {
      sendToOwner()
      await this.notifyMoved(activation)
    }
  }

  /** Operators do not mail the owner: they may be adding hundreds of satellites, and no thief of a session is one. */
  private async ownerNotice(
    transaction: Db,
    { userId }: AccountActor,
    { isFirst, origin }: Activation,
  ): Promise<SendMails> {
    const by = isFirst && userId ? await this.users.lock(transaction, userId) : null
    if (!by) return NO_MAILS
    return this.ownerNotices.aboutSatellite(transaction, { by, origin, activatedAt: this.clock.now() })
  }

  private async notifyMoved({ former }: Activation): Promise<void> {
    for (const { satellite } of former)
      await this.mails
        .notifyMoved(satellite)
        .catch(error =>
          this.logger.error(
            `${satellite.accountId} was not told that ${satellite.origin} moved: ${causeMessage(error)}`,
          ),
        )
  }
}

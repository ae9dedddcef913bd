import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { FactorMails } from '../../factors/factor-mails.js'
import type { Client } from '../../platform/http/request.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { SecondFactorChallenge } from './second-factor-challenges.js'

/** From a network where the user has logged in before, this many wrong factors are probably their own mistakes. */
const OWN_MISTAKES = 2

/** Warns users when somebody who knows their password fails the second factor. Never rejects. */
@Injectable()
export class WrongFactorNotifier {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly mails: FactorMails,
  ) {}

  /** After a wrong second factor at a login; mails at most once a day. */
  async notifyAtLogin({ user, tries }: SecondFactorChallenge, client: Client): Promise<void> {
    const { id: userId, accountId } = user
    const isKnown = tries <= OWN_MISTAKES && (await this.isKnown(userId, client))
    if (!isKnown) await this.mails.secondStepFailed({ userId, accountId, client })
  }

  /** After a wrong factor within a session, which may be stolen; mails at most once a day. */
  async notifyInSession(actor: SessionActor): Promise<void> {
    if (!(await this.isKnown(actor.userId, actor.client))) await this.mails.wrongFactorInSession(actor)
  }

  private isKnown(userId: string, { ip }: Client): Promise<boolean> {
    return this.knownDevices.knowsNetwork(userId, ip).catch(() => false)
  }
}

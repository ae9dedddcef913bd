import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { FactorMails } from '../../factors/factor-mails.js'
import type { Client } from '../../http/client.js'
import type { SecondFactorChallenge } from './second-factor-challenges.js'

/** From a network where the user has logged in before, this many wrong factors are probably their own mistakes. */
const OWN_MISTAKES = 2

/** Warns users that somebody knows their password but does not have their second factor. */
@Injectable()
export class WrongFactorAlarm {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly mails: FactorMails,
  ) {}

  /** After a wrong second factor; mails at most once a day. */
  async tell({ user, tries }: SecondFactorChallenge, client: Client): Promise<void> {
    const { id: userId, accountId } = user
    const isKnown =
      tries <= OWN_MISTAKES && (await this.knownDevices.knowsNetwork(userId, client.ip).catch(() => false))
    if (!isKnown) await this.mails.secondStepFailed({ userId, accountId, client })
  }
}

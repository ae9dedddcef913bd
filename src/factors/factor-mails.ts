import { Injectable } from '@nestjs/common'
import { AnomalyMails, type NoticeData, noticeAbout } from '../anomalies/anomaly-mails.js'
import { Clock } from '../clock/clock.js'
import type { Client } from '../http/client.js'
import { Logger } from '../log/logger.js'
import type { Mail } from '../mail/mail.js'
import { type AuthMethods, acrOf, TWO_FACTORS } from '../permissions/auth-methods.js'

/** Whose factors they are, and by what session they were changed. */
export interface FactorActor {
  readonly userId: string
  readonly accountId: string
  readonly sid: string
  /** When the session began; null for one that begins now. */
  readonly createdAt: Date | null
  /** What the session has proved before, and when; left out where that does not matter. */
  readonly amr?: AuthMethods
  readonly authTime?: Date
  readonly client: Client
}

/** What a user can add or remove, in the words of mails. */
export type FactorName = 'authenticator app' | 'passkey'

/**
 * Mails about users' factors, each with a link to report that it was somebody else. One that fails is logged, and
 * keeps nobody from what they did.
 */
@Injectable()
export class FactorMails {
  private readonly logger = new Logger('FactorMails')

  constructor(
    private readonly mails: AnomalyMails,
    private readonly clock: Clock,
  ) {}

  added(actor: FactorActor, factor: FactorName): Promise<void> {
    return this.send(actor, data => ({
      subject: `${startOf(factor)} was added to your account at ${data.site}`,
      ...noticeAbout(data, `${startOf(factor)} was added to your account at ${data.site}.`, NOTHING_TO_DO),
    }))
  }

  removed(actor: FactorActor, factor: FactorName): Promise<void> {
    return this.send(actor, data => ({
      subject: `${startOf(factor)} was removed from your account at ${data.site}`,
      ...noticeAbout(
        data,
        `${startOf(factor)} was removed from your account at ${data.site}.`,
        NOTHING_TO_DO,
      ),
    }))
  }

  passwordRemoved(actor: FactorActor): Promise<void> {
    return this.send(actor, data => ({
      subject: `The password of your account at ${data.site} was removed`,
      ...noticeAbout(
        data,
        `The password of your account at ${data.site} was removed. From now on you log in with a passkey.`,
        NOTHING_TO_DO,
      ),
    }))
  }

  /** Once a day for a session, which could otherwise bury the mails about factors with these. */
  recoveryCodesMade(actor: FactorActor): Promise<void> {
    const write = (data: NoticeData): Mail => ({
      subject: `New recovery codes for ${data.site}`,
      ...noticeAbout(
        data,
        `New recovery codes were made for your account at ${data.site}. The earlier ones no longer work.`,
        NOTHING_TO_DO,
      ),
    })
    return this.send({ ...actor, sid: `${actor.sid}, recovery codes` }, write, { always: false })
  }

  /** `left`: how many unused ones there are now. */
  recoveryCodeUsed({ userId, accountId, sid, client }: FactorActor, left: number): Promise<void> {
    // Nothing was added by it, whatever the session has done before.
    return this.send({ userId, accountId, sid, client, createdAt: null }, data => ({
      subject: `A recovery code was used at ${data.site}`,
      ...noticeAbout(
        data,
        `One of your recovery codes was used at ${data.site}.`,
        `${left === 0 ? 'It was the last one' : `You have ${left} left`}. If this was you, make new ones when you run out: ` +
          'each works once.',
      ),
    }))
  }

  /** Somebody knows the password, and has not got the second factor; told once a day. */
  secondStepFailed({ userId, accountId, client }: Omit<FactorActor, 'sid' | 'createdAt'>): Promise<void> {
    const actor = { userId, accountId, client, sid: 'second step of a login', createdAt: null }
    const write = (data: NoticeData): Mail => ({
      subject: `Login refused at ${data.site}`,
      ...noticeAbout(
        data,
        `Somebody entered the correct password for your account at ${data.site}, and then a wrong code.`,
        'The login was refused. If this was you, you do not need to do anything. If not, choose a new password: somebody knows yours.',
      ),
    })
    return this.send(actor, write, { always: false })
  }

  private async send(
    actor: FactorActor,
    write: (data: NoticeData) => Mail,
    { always } = { always: true },
  ): Promise<void> {
    const { userId, accountId, sid, client } = actor
    const affected = { userId, accountId, sid, createdAt: sinceOf(actor) ?? this.clock.now() }
    try {
      await this.mails.send(affected, client, write, { always })
    } catch (error) {
      this.logger.error(`A mail about factors could not be prepared: ${(error as Error).message}`)
    }
  }
}

const NOTHING_TO_DO = 'If this was you, you do not need to do anything.'

/**
 * Since when a link in the mail undoes what was added. A session that had used a second factor has done so just
 * before, so only that time is in question: whoever has the mailbox alone must not take older factors away by
 * a mail about the session in which they were set up.
 */
function sinceOf({ createdAt, amr, authTime }: FactorActor): Date | null {
  return amr !== undefined && authTime && acrOf(amr) === TWO_FACTORS ? authTime : createdAt
}

function startOf(factor: FactorName): string {
  return factor === 'authenticator app' ? 'An authenticator app' : 'A passkey'
}

import { Injectable } from '@nestjs/common'
import { AnomalyMails, type Notice, type NoticeData } from '../anomalies/anomaly-mails.js'
import { Clock } from '../clock/clock.js'
import type { Client } from '../http/client.js'
import { Logger } from '../log/logger.js'
import type { Phrase } from '../mail/messages/translated.js'
import { type AuthMethods, acrOf, TWO_FACTORS } from '../permissions/auth-methods.js'

/** Whose factors they are, and which session changed them. */
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

/** What a user can add or remove. */
export type FactorName = 'authenticator app' | 'passkey'

const ADDED: Readonly<Record<FactorName, Phrase>> = {
  'authenticator app': 'factors.authenticatorAdded',
  passkey: 'factors.passkeyAdded',
}
const REMOVED: Readonly<Record<FactorName, Phrase>> = {
  'authenticator app': 'factors.authenticatorRemoved',
  passkey: 'factors.passkeyRemoved',
}

/**
 * Mails about users' factors, each with a link to report that it was somebody else. A mail that fails is logged,
 * and does not stop the change that it is about.
 */
@Injectable()
export class FactorMails {
  private readonly logger = new Logger('FactorMails')

  constructor(
    private readonly mails: AnomalyMails,
    private readonly clock: Clock,
  ) {}

  added(actor: FactorActor, factor: FactorName): Promise<void> {
    return this.sendSentence(actor, ADDED[factor])
  }

  removed(actor: FactorActor, factor: FactorName): Promise<void> {
    return this.sendSentence(actor, REMOVED[factor])
  }

  passwordRemoved(actor: FactorActor): Promise<void> {
    return this.send(actor, ({ words, site }) => ({
      subject: words.phrase('factors.passwordRemoved', { site }),
      opening: words.phrase('factors.passwordRemovedOpening', { site }),
      advice: words.phrase('notice.nothingToDo'),
    }))
  }

  /** Once a day per session, which could otherwise bury the mails about factors under these. */
  recoveryCodesMade(actor: FactorActor): Promise<void> {
    const write = ({ words, site }: NoticeData): Notice => ({
      subject: words.phrase('factors.codesMade', { site }),
      opening: words.phrase('factors.codesMadeOpening', { site }),
      advice: words.phrase('notice.nothingToDo'),
    })
    return this.send({ ...actor, sid: `${actor.sid}, recovery codes` }, write, { always: false })
  }

  /** `left`: how many unused ones there are now. */
  recoveryCodeUsed({ userId, accountId, sid, client }: FactorActor, left: number): Promise<void> {
    // Nothing was added by it, whatever the session has done before.
    return this.send({ userId, accountId, sid, client, createdAt: null }, ({ words, site }) => ({
      subject: words.phrase('factors.codeUsed', { site }),
      opening: words.phrase('factors.codeUsedOpening', { site }),
      advice: words.phrase('factors.codesLeft', { left }),
    }))
  }

  /** Somebody knows the password but does not have the second factor; mailed once a day. */
  secondStepFailed({ userId, accountId, client }: Omit<FactorActor, 'sid' | 'createdAt'>): Promise<void> {
    const actor = { userId, accountId, client, sid: 'second step of a login', createdAt: null }
    const write = ({ words, site }: NoticeData): Notice => ({
      subject: words.phrase('refusedLogin.subject', { site }),
      opening: words.phrase('refusedLogin.wrongCode', { site }),
      advice: words.phrase('refusedLogin.passwordKnown'),
    })
    return this.send(actor, write, { always: false })
  }

  /** A notice whose subject is also its first sentence. */
  private sendSentence(actor: FactorActor, phrase: Phrase): Promise<void> {
    return this.send(actor, ({ words, site }) => {
      const subject = words.phrase(phrase, { site })
      return { subject, opening: `${subject}.`, advice: words.phrase('notice.nothingToDo') }
    })
  }

  private async send(
    actor: FactorActor,
    write: (data: NoticeData) => Notice,
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

/**
 * From when on a link in the mail undoes what was added. A session that had used a second factor did so just
 * before, so only the time since then is in question: somebody who has only the mailbox must not be able to
 * remove older factors with a mail about the session in which they were set up.
 */
function sinceOf({ createdAt, amr, authTime }: FactorActor): Date | null {
  return amr !== undefined && authTime && acrOf(amr) === TWO_FACTORS ? authTime : createdAt
}

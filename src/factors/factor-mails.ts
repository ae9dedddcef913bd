import { Injectable } from '@nestjs/common'
import { AnomalyMails, type Notice, type NoticeData } from '../anomalies/anomaly-mails.js'
import type { AffectedSession } from '../anomalies/unrecognized-login-tokens.js'
import type { SendMails } from '../mail/mail.js'
import type { Phrase } from '../mail/messages/en.js'
import type { Db } from '../platform/database/connection.js'
import { causeMessage } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import { Clock } from '../platform/time.js'
import type { AuthMethods } from '../tokens/access-tokens.js'
import { inQuestionSince } from './user-factors.js'

/** Whose factors they are, and which session changed them. */
interface FactorActor {
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

const ADDED = {
  'authenticator app': notice('factors.authenticatorAdded', 'factors.authenticatorAddedOpening'),
  passkey: notice('factors.passkeyAdded', 'factors.passkeyAddedOpening'),
}
const REMOVED = {
  'authenticator app': notice('factors.authenticatorRemoved', 'factors.authenticatorRemovedOpening'),
  passkey: notice('factors.passkeyRemoved', 'factors.passkeyRemovedOpening'),
}

/**
 * Mails about users' factors, each with a link to report that it was not the user. For a change, and for a recovery
 * code that is used up, the link is stored in its transaction, so that nothing happens without a mail, and earlier
 * addresses that the user can still return to are mailed too, though not of new recovery codes. A mail about a wrong
 * factor stops nothing: if its link cannot be stored, that is logged.
 */
@Injectable()
export class FactorMails {
  private readonly logger = new Logger('FactorMails')

  constructor(
    private readonly mails: AnomalyMails,
    private readonly clock: Clock,
  ) {}

  added(transaction: Db, actor: FactorActor, factor: FactorName): Promise<SendMails> {
    return this.prepare(transaction, actor, ADDED[factor])
  }

  removed(transaction: Db, actor: FactorActor, factor: FactorName): Promise<SendMails> {
    return this.prepare(transaction, actor, REMOVED[factor])
  }

  passwordRemoved(transaction: Db, actor: FactorActor): Promise<SendMails> {
    const write = notice('factors.passwordRemoved', 'factors.passwordRemovedOpening')
    return this.prepare(transaction, actor, write)
  }

  /** Once a day per session, which could otherwise bury the mails about factors under these. */
  recoveryCodesMade(transaction: Db, actor: FactorActor): Promise<SendMails> {
    const write = notice('factors.codesMade', 'factors.codesMadeOpening')
    return this.prepare(transaction, { ...actor, sid: `${actor.sid}, recovery codes` }, write, false)
  }

  /** `left`: how many unused ones there are now. */
  recoveryCodeUsed(
    transaction: Db,
    { userId, accountId, sid, client }: FactorActor,
    left: number,
  ): Promise<SendMails> {
    // Nothing was added by it, whatever the session has done before.
    const actor = { userId, accountId, sid, client, createdAt: null }
    return this.prepare(transaction, actor, ({ words, site }) => ({
      subject: words.phrase('factors.codeUsed', { site }),
      opening: words.phrase('factors.codeUsedOpening', { site }),
      advice: words.phrase('factors.codesLeft', { left }),
    }))
  }

  /** A login with the right password lacked the second factor; mailed once a day. */
  secondStepFailed({ userId, accountId, client }: Omit<FactorActor, 'sid' | 'createdAt'>): Promise<void> {
    const actor = { userId, accountId, client, sid: 'second step of a login', createdAt: null }
    const write = notice('refusedLogin.subject', 'refusedLogin.wrongCode', 'refusedLogin.passwordKnown')
    return this.send(actor, write)
  }

  /** A session of the user could not give their second factor; mailed once a day. */
  wrongFactorInSession({ userId, accountId, client }: FactorActor): Promise<void> {
    // Nothing was added by it, whatever the session has done before.
    const actor = { userId, accountId, client, sid: 'wrong factor in a session', createdAt: null }
    const write = notice('factors.wrongInSession', 'factors.wrongInSessionOpening')
    return this.send(actor, write)
  }

  private prepare(
    transaction: Db,
    actor: FactorActor,
    write: (data: NoticeData) => Notice,
    always = true,
  ): Promise<SendMails> {
    return this.mails.prepare(this.affectedBy(actor), actor.client, write, { always, transaction })
  }

  private async send(actor: FactorActor, write: (data: NoticeData) => Notice): Promise<void> {
    try {
      await this.mails.send(this.affectedBy(actor), actor.client, write)
    } catch (error) {
      this.logger.error(`A mail about factors could not be prepared: ${causeMessage(error)}`)
    }
  }

  private affectedBy(actor: FactorActor): AffectedSession {
    const { userId, accountId, sid } = actor
    return { userId, accountId, sid, createdAt: sinceOf(actor) ?? this.clock.now() }
  }
}

function notice(
  subject: Phrase,
  opening: Phrase,
  advice: Phrase = 'notice.nothingToDo',
): (data: NoticeData) => Notice {
  return ({ words, site }) => ({
    subject: words.phrase(subject, { site }),
    opening: words.phrase(opening, { site }),
    advice: words.phrase(advice),
  })
}

/** From when on a link in the mail undoes what was added; null if nothing was added before. */
function sinceOf({ createdAt, amr, authTime }: FactorActor): Date | null {
  if (createdAt === null || amr === undefined || !authTime) return createdAt
  return inQuestionSince({ createdAt, amr, authTime })
}

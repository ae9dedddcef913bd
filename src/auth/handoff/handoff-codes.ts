import { createHash, timingSafeEqual } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens } from '../../platform/one-time-tokens.js'
import type { Session, SessionHandle } from '../../sessions/session.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { User } from '../../users/user.js'

const LIFETIME_SECONDS = 60
/** How long a used code is recognised. RFC 6749 §4.1.2: its second use revokes the first login. */
const REMEMBERED_SECONDS = 10 * 60

/** What a code was made for. */
export interface HandoffCode {
  readonly userId: string
  readonly accountId: string
  /** The satellite's page that may use it. */
  readonly origin: string
  /** base64url SHA-256 of the verifier that this page keeps (RFC 7636, S256). */
  readonly challenge: string
  readonly parentSid: SessionHandle
}

/** A code that has been used; `childSid` is the session that it opened. */
export interface UsedHandoffCode extends Pick<HandoffCode, 'userId' | 'accountId'> {
  readonly childSid: SessionHandle
}

/** The codes that carry a login to a satellite; the database has only their hashes. */
@Injectable()
export class HandoffCodes {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** A new code, for 60 s. */
  issue(actor: SessionActor, { email }: User, origin: string, challenge: string): Promise<string> {
    const { userId, accountId, sid: parentSid } = actor
    return this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, auditEvent(actor, 'handoff.code', { satellite: origin }))
      return this.tokens.issue(transaction, {
        purpose: 'handoff',
        email,
        userId,
        accountId,
        detail: { origin, challenge, parentSid },
        lifetimeSeconds: LIFETIME_SECONDS,
      })
    })
  }

  /**
   * A code that can be used, or has been; null for any other text. Throws like {@link OneTimeTokens.find}.
   */
  async find(text: string, client: Client): Promise<HandoffCode | UsedHandoffCode | null> {
    const token = await this.tokens.find(['handoff', 'handoff-used'], text, client)
    if (!token) return null
    const { userId, accountId, detail } = token
    return { ...detail, userId, accountId } as HandoffCode | UsedHandoffCode
  }

  /** Uses the code up for this session; false when it has been used or has expired in the meantime. */
  use(transaction: Db, text: string, { sid: childSid }: Session): Promise<boolean> {
    return this.tokens.turnInto(transaction, 'handoff', text, {
      purpose: 'handoff-used',
      detail: { childSid },
      lifetimeSeconds: REMEMBERED_SECONDS,
    })
  }
}

export function isUsed(code: HandoffCode | UsedHandoffCode): code is UsedHandoffCode {
  return 'childSid' in code
}

/** Whether the code's challenge was made from this verifier. */
export function isVerifier(verifier: string, { challenge }: HandoffCode): boolean {
  const made = createHash('sha256').update(verifier).digest('base64url')
  return made.length === challenge.length && timingSafeEqual(Buffer.from(made), Buffer.from(challenge))
}

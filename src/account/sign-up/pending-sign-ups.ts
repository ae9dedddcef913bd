import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { languageWanted } from '../../mail/language.js'
import { type AuditEvent, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens, withdrawMailedTokens } from '../../platform/one-time-tokens.js'
import type { Email } from '../../users/email.js'
import { initialGrant, type User } from '../../users/user.js'
import { Users } from '../../users/users.js'

/** A sign-up whose e-mail address nobody has confirmed yet. */
export interface PendingSignUp {
  readonly email: Email
  readonly name: string | null
  /** Null when the address already had a user: this sign-up leads nowhere. */
  readonly passwordHash: string | null
}

const LIFETIME_SECONDS = 24 * 60 * 60

/**
 * Sign-ups whose link has not been followed. Each link has its own password, however many there are for one
 * address.
 */
@Injectable()
export class PendingSignUps {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly tokens: OneTimeTokens,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Returns the token for the link, and the user who already has the address, if any. If there is one, nobody may
   * get the link.
   */
  async add({ email, name, passwordHash }: PendingSignUp, client: Client) {
    const known = await this.users.findByEmail(email)
    const token = await this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, eventOf(email, known, client))
      return this.tokens.issue(transaction, {
        purpose: 'sign-up',
        email,
        detail: { name, passwordHash: known ? null : passwordHash },
        lifetimeSeconds: LIFETIME_SECONDS,
      })
    })
    return { token, known }
  }

  /** Does not use up the link. Throws `INVALID_LINK`, or `TOO_MANY_ATTEMPTS` after too many invalid ones. */
  async find(token: string, client: Client): Promise<PendingSignUp> {
    const { detail, email } = await this.tokens.require('sign-up', token, client, 'email.verify')
    return { ...detail, email } as unknown as PendingSignUp
  }

  /**
   * Uses up the link, drops all others for the address, and creates the account and its owner. Throws
   * `INVALID_LINK` when it is no longer valid, and `EMAIL_TAKEN`.
   */
  async complete(token: string, { email, name, passwordHash }: PendingSignUp, client: Client): Promise<User> {
    const grant = { role: 'owner', granted: initialGrant('owner'), satellites: null } as const
    const ids = { id: randomUUID(), accountId: randomUUID() }
    return this.database.transaction(async transaction => {
      // Before the links: two sign-ups for one address wait for each other here, while neither holds what the
      // other needs.
      const owner = await this.users.addOwner(transaction, {
        ...ids,
        email,
        name,
        passwordHash,
        language: languageWanted(client.acceptLanguage),
        ...grant,
      })
      await this.tokens.consume(transaction, 'sign-up', token)
      await withdrawMailedTokens(transaction, 'sign-up', email)
      const actor = { userId: owner.id, accountId: owner.accountId, client }
      const events = [auditEvent(actor, 'email.verify'), auditEvent(actor, 'account.create')]
      await this.auditLog.recordAll(transaction, events)
      return owner
    })
  }
}

function eventOf(email: Email, known: User | null, client: Client): AuditEvent {
  if (!known) return auditEvent({ client }, 'signup', { email })
  const { id: userId, accountId } = known
  const event = auditEvent({ userId, accountId, client }, 'signup', { reason: 'e-mail taken' })
  return { ...event, outcome: 'refused' }
}

import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import type { Client } from '../../http/client.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import type { Email } from '../../users/email.js'

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
  constructor(private readonly tokens: OneTimeTokens) {}

  /** Returns the token for the link. */
  add(transaction: Db, { email, ...detail }: PendingSignUp): Promise<string> {
    return this.tokens.issue(transaction, {
      purpose: 'sign-up',
      email,
      detail,
      lifetimeSeconds: LIFETIME_SECONDS,
    })
  }

  /** Null when the link is not valid; too many of those throw `TOO_MANY_ATTEMPTS`. */
  async find(token: string, client: Client): Promise<PendingSignUp | null> {
    const found = await this.tokens.find('sign-up', token, client)
    return found && ({ ...found.detail, email: found.email } as unknown as PendingSignUp)
  }

  /** Uses this one up (`INVALID_LINK` when it is no longer valid) and drops all others for the address. */
  async complete(transaction: Db, token: string): Promise<void> {
    const { email } = await this.tokens.consume(transaction, 'sign-up', token)
    await this.tokens.withdrawMailed(transaction, 'sign-up', email)
  }
}

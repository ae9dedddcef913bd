import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import type { Client } from '../../http/client.js'
import { FollowedLinks } from '../../one-time-tokens/followed-links.js'
import { OneTimeTokens } from '../../one-time-tokens/one-time-tokens.js'
import type { Email } from '../email.js'

/** A sign-up whose e-mail address nobody has confirmed yet. */
export interface PendingSignUp {
  readonly email: Email
  readonly name: string | null
  /** Null for an address that had a user already: nothing can come of it. */
  readonly passwordHash: string | null
}

const LIFETIME_SECONDS = 24 * 60 * 60

/** Sign-ups that wait for their link to be followed. Each link goes with its own password, however many there are of one address. */
@Injectable()
export class PendingSignUps {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly links: FollowedLinks,
  ) {}

  /** Returns the token for the link. */
  add(transaction: Db, { email, ...detail }: PendingSignUp): Promise<string> {
    return this.tokens.issue(transaction, {
      purpose: 'sign-up',
      email,
      detail,
      lifetimeSeconds: LIFETIME_SECONDS,
    })
  }

  /** Null when the link is not good; too many of those throw `TOO_MANY_ATTEMPTS`. */
  async find(token: string, client: Client): Promise<PendingSignUp | null> {
    const found = await this.links.find('sign-up', token, client)
    return found && ({ ...found.detail, email: found.email } as unknown as PendingSignUp)
  }

  /** Uses this one up (`INVALID_LINK` when it is not good any more) and drops all others of the address. */
  async complete(transaction: Db, token: string): Promise<void> {
    const { email } = await this.tokens.consume(transaction, 'sign-up', token)
    await this.tokens.withdrawMailed(transaction, 'sign-up', email)
  }
}

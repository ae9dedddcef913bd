import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { Client } from '../../http/client.js'
import { PasswordPolicy } from '../../users/passwords/password-policy.js'
import { Passwords } from '../../users/passwords/passwords.js'
import type { AcceptInvitationBody } from './invitations.dto.js'
import { Invitations } from './invitations.js'
import { NewMembers } from './new-members.js'

/** Somebody who has joined, and the origins that they may log in at; null means all. */
export interface Accepted {
  readonly userId: string
  readonly satellites: readonly string[] | null
}

/** Lets invited people join. */
@Injectable()
export class AcceptInvitationService {
  constructor(
    private readonly invitations: Invitations,
    private readonly passwordPolicy: PasswordPolicy,
    private readonly passwords: Passwords,
    private readonly newMembers: NewMembers,
  ) {}

  /**
   * Creates the invited member; nobody is logged in. Throws `INVALID_LINK`, `EMAIL_TAKEN` when the address
   * has joined another account meanwhile, and `WEAK_PASSWORD`, after which the link is still valid.
   */
  async accept({ token, password, name }: AcceptInvitationBody, client: Client): Promise<Accepted> {
    const invitation = await this.invitations.find(token, client)
    await this.passwordPolicy.require(password, {
      known: [invitation.email, name ?? ''],
      client,
      subject: invitation.id,
    })
    const passwordHash = await this.passwords.hash(password, client)
    const userId = randomUUID()
    await this.newMembers.join({ id: userId, invitation, token, name: name ?? null, passwordHash, client })
    return { userId, satellites: invitation.satellites }
  }
}

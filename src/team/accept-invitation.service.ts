import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { PasswordPolicy } from '../accounts/password-policy.js'
import { Passwords } from '../accounts/passwords.js'
import type { Client } from '../http/client.js'
import type { AcceptInvitationBody } from './accept-invitation.body.js'
import { Invitations } from './invitations.js'
import { NewMembers } from './new-members.js'

/** Somebody who has joined, and where they may log in: origins; null is everywhere. */
export interface Accepted {
  readonly userId: string
  readonly satellites: readonly string[] | null
}

/** Lets people who were invited in. */
@Injectable()
export class AcceptInvitationService {
  constructor(
    private readonly invitations: Invitations,
    private readonly passwordPolicy: PasswordPolicy,
    private readonly passwords: Passwords,
    private readonly newMembers: NewMembers,
  ) {}

  /**
   * Makes the member of an invitation; logs in nobody. Throws `INVALID_LINK`, `EMAIL_TAKEN` for an
   * address that has found another account meanwhile, and `WEAK_PASSWORD`, after which the link is as good as before.
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

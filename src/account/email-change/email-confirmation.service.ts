import { Injectable } from '@nestjs/common'
import { PasswordProof } from '../../auth/reauthentication.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { Session } from '../../sessions/session.js'
import { MailedLinks } from '../../users/mailed-links.js'
import { CancellationNotices } from '../../users/notices/cancellation-notices.js'
import type { User } from '../../users/user.js'
import { AddressMails } from '../address-mails.js'
import { EmailChanges } from './email-change.service.js'

/** What proves that the person following the link is the user. */
export interface ConfirmationProof {
  readonly session: Session | null
  readonly password: string | undefined
}

@Injectable()
export class EmailConfirmationService {
  constructor(
    private readonly emailChanges: EmailChanges,
    private readonly links: MailedLinks,
    private readonly passwordProof: PasswordProof,
    private readonly notices: CancellationNotices,
    private readonly mails: AddressMails,
  ) {}

  /**
   * Gives the user the address that the link went to, and tells the old address how to undo it. The link
   * alone proves nothing: somebody may have entered a stranger's address. So it takes a live session of the
   * user, or the password. Throws `REAUTHENTICATION_REQUIRED` without either, `INVALID_CREDENTIALS`,
   * `INVALID_LINK`, and `EMAIL_TAKEN` when another user has taken the address in the meantime.
   */
  async confirm(text: string, proof: ConfirmationProof, client: Client): Promise<void> {
    this.mails.require()
    const link = { purpose: 'email-change', text, action: 'email.change', client } as const
    const user = await this.links.userOf(link)
    const session = proof.session?.userId === user.id ? proof.session : null
    if (!session) await this.requirePassword(user, proof.password, client)
    const { before, undoToken } = await this.emailChanges.confirm(user.id, text, session, client)
    if (undoToken) this.mails.sendUndo(before, undoToken)
    else this.notices.aboutAddress(before)()
  }

  private async requirePassword(user: User, password: string | undefined, client: Client): Promise<void> {
    if (password === undefined) throw new ApiError('REAUTHENTICATION_REQUIRED')
    await this.passwordProof.ofUser(user, password, { action: 'email.change', client })
  }
}

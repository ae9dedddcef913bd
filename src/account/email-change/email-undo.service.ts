import { Injectable } from '@nestjs/common'
import { PasswordMails } from '../../auth/password.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { followedBy, mergeRecorded } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { MailedLinks } from '../../users/mailed-links.js'
import { AccountRecovery } from '../../users/recovery/account-recovery.js'

@Injectable()
export class EmailUndoService {
  constructor(
    private readonly links: MailedLinks,
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Gives the user back the address that the link went to. Whoever changed it had the password, so the password
   * is removed, all sessions end, everything pending is cancelled, and a reset link goes to the old address.
   * Throws `INVALID_LINK`, and `EMAIL_TAKEN` when another user has taken the address in the meantime; the link
   * then still works.
   */
  async undo(text: string, client: Client): Promise<void> {
    this.mails.requireServer()
    const link = { purpose: 'email-undo', text, action: 'email.undo', client } as const
    const found = await this.links.userOf(link)
    const { id: userId, accountId } = found
    const event = auditEvent({ userId, accountId, client }, 'email.undo')
    await this.changes.commit(async transaction => {
      const current = await this.recovery.lock(transaction, found)
      if (!current) throw new ApiError('INVALID_LINK')
      const { user, ...recovered } = await this.recovery.recoverByLink(transaction, current, text, client)
      const mailResetLink = await this.mails.resetLinkTo(transaction, user)
      const ended = await this.changes.record(transaction, [{ kind: 'end-all', userId }], event)
      return followedBy(mergeRecorded(recovered, ended), mailResetLink)
    })
  }
}

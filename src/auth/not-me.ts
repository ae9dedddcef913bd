import { Body, Controller, Post } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { KnownDevices } from '../anomalies/known-devices.js'
import { sinceOf, type UnrecognizedLoginDetail } from '../anomalies/unrecognized-login-tokens.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { MailedLinkBody } from '../platform/one-time-tokens.js'
import {
  followedBy,
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
  SessionChanges,
} from '../sessions/changes.js'
import { Public } from '../tokens/jwt.guard.js'
import type { Email } from '../users/email.js'
import { type FollowedLink, MailedLinks } from '../users/mailed-links.js'
import { AccountRecovery } from '../users/recovery.js'
import type { User } from '../users/user.js'
import { PasswordMails } from './password.js'

@ApiTags('Sessions')
@Controller('api/sessions')
export class UnrecognizedLoginController {
  constructor(
    private readonly links: MailedLinks,
    private readonly knownDevices: KnownDevices,
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Ends all sessions of the link's user, not only the suspicious one: an attacker has the password and may have
   * used it before. The same transaction uses the link up, removes the password and restores the address that the
   * link went to; a reset link goes there, unless the user is disabled. Throws `INVALID_LINK` and `EMAIL_TAKEN`.
   * Of two concurrent calls, only one succeeds. Public: the link is the proof, and its user may not be logged in
   * anywhere.
   */
  @Public()
  @Post('not-me')
  @ApiOperation({
    summary: 'Report a login that was not yours',
    description:
      'Takes the token of the link in a mail about a new device or something unusual. Someone else has the password, so ' +
      'this ends all sessions of the user, removes the password, forgets the device and network in question, and mails a link for ' +
      "a new password to the address that this link went to. If the user's address has been changed since, it is changed back. " +
      'Invitations, a transfer and a deletion of the account that were pending are cancelled; members who have joined by an ' +
      'invitation of the user since that login, or whom the user has enabled or allowed more, are disabled. The link works ' +
      'once, within seven days, even if the session has ended by then.',
  })
  @Answers(204, 'The user is logged out everywhere; the mail with the link for a new password is on its way')
  @Refuses('INVALID_LINK', 'EMAIL_TAKEN', 'MAIL_UNAVAILABLE')
  async report(@Body() { token: text }: MailedLinkBody, @CurrentClient() client: Client): Promise<void> {
    this.mails.requireServer()
    const link = { purpose: 'not-me', text, action: 'session.revoke', client } as const
    const { user, token } = await this.links.find(link)
    const { sid } = token.detail as UnrecognizedLoginDetail
    const actor = { userId: user.id, accountId: user.accountId, sid, client }
    const event = auditEvent(actor, 'session.revoke', { reason: 'not me' })
    await this.changes.commit(async transaction => {
      const recovered = await this.recover(transaction, user, link)
      const ended = await this.changes.record(transaction, [{ kind: 'end-all', userId: user.id }], event)
      return mergeRecorded(recovered, ended)
    })
  }

  private async recover(transaction: Db, user: User, link: FollowedLink): Promise<RecordedChanges> {
    const current = await this.recovery.lock(transaction, user)
    const { detail, email } = await this.links.consume(transaction, link)
    // The kind of device may be the user's too; if not, it was first seen since, and recover() forgets it.
    const { network, language } = detail as UnrecognizedLoginDetail
    await this.knownDevices.forgetNetwork(transaction, user.id, network)
    // Any of them may be the attacker's, who may have logged in before without a mail being sent.
    await this.knownDevices.forgetDeviceIds(transaction, user.id)
    if (!current) return NOTHING_RECORDED
    const reported = { since: sinceOf({ detail }), language }
    const target = await this.recovery.restoreTargetFor(transaction, current, email as Email, reported)
    const recovered = await this.recovery.recover(transaction, current, target, link.client)
    return followedBy(recovered, await this.mails.resetLinkTo(transaction, recovered.user, user))
  }
}

import { Injectable } from '@nestjs/common'
import { AttemptLimits } from '../attempts/attempt-limits.js'
import { AuditLog } from '../audit/audit-log.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { OneTimeTokens } from '../one-time-tokens/one-time-tokens.js'
import { NotMeSessions } from './not-me.sessions.js'
import { PasswordMails } from './password-mails.js'

/** A token can be guessed from anywhere, for anybody: the network alone is counted. */
const NOBODY = ''

@Injectable()
export class NotMeService {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly sessions: NotMeSessions,
    private readonly mails: PasswordMails,
    private readonly attempts: AttemptLimits,
    private readonly auditLog: AuditLog,
  ) {}

  /** Logs the user of the link out everywhere and mails a link for a new password. Throws `INVALID_LINK`. Of two at once one succeeds. */
  async disown(token: string, client: Client): Promise<void> {
    this.mails.require()
    const attempt = { kind: 'link', subject: NOBODY, client } as const
    await this.attempts.count(attempt)
    const found = await this.tokens.find('not-me', token)
    if (!found) {
      const detail = { reason: 'invalid link' }
      this.auditLog.note({ action: 'session.revoke', outcome: 'failed', client, detail })
      throw new ApiError('INVALID_LINK')
    }
    const reset = await this.sessions.end(found, token, client)
    if (reset) this.mails.sendResetLink(reset.email, reset.token)
    await this.attempts.succeeded(attempt)
  }
}

import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { RateLimitedTokens } from '../../links/rate-limited-tokens.js'
import { PasswordMails } from '../password/password-mails.js'
import { UnrecognizedLoginSessions } from './unrecognized-login.sessions.js'

@Injectable()
export class UnrecognizedLoginService {
  constructor(
    private readonly rateLimitedTokens: RateLimitedTokens,
    private readonly sessions: UnrecognizedLoginSessions,
    private readonly mails: PasswordMails,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Logs the user of the link out everywhere and mails a reset link. Throws `INVALID_LINK`. Of two calls at
   * once one succeeds.
   */
  async report(token: string, client: Client): Promise<void> {
    this.mails.require()
    const found = await this.rateLimitedTokens.find('not-me', token, client)
    if (!found) {
      const detail = { reason: 'invalid link' }
      this.auditLog.note({ action: 'session.revoke', outcome: 'failed', client, detail })
      throw new ApiError('INVALID_LINK')
    }
    const reset = await this.sessions.end(found, token, client)
    if (reset) this.mails.sendResetLink(reset.email, reset.token)
  }
}

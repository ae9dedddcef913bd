import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import type { Client } from '../../http/client.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionHandle } from '../../sessions/session-id.js'

@Injectable()
export class LogoutService {
  constructor(private readonly changes: SessionChanges) {}

  /** Ends the session of the access token. The token itself stays valid until it expires. Safe to repeat. */
  async logout({ sid, userId, accountId }: Caller, client: Client): Promise<void> {
    await this.changes.applyDurably(
      { kind: 'end', sid: sid as SessionHandle },
      { action: 'logout', outcome: 'ok', userId, accountId, sid, client },
    )
  }
}

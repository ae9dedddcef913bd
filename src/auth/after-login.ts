import { Injectable } from '@nestjs/common'
import type { Client } from '../http/client.js'
import { LoginWatch } from '../sessions/login-watch.js'
import type { Session } from '../sessions/session.js'
import { SessionChanges } from '../sessions/session-changes.js'
import type { SessionId } from '../sessions/session-id.js'

/** What comes between a recorded login and its answer. */
@Injectable()
export class AfterLogin {
  constructor(
    private readonly watch: LoginWatch,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Throws `INVALID_CREDENTIALS` for a login that is too unusual. The sessions that the browser carried until now end only
   * after that: else a refused login would tell, by their end, that the password was right.
   */
  async check(session: Session, replaced: readonly SessionId[], client: Client): Promise<void> {
    await this.watch.loggedIn(session, client)
    await this.changes.endReplaced(replaced, client)
  }
}

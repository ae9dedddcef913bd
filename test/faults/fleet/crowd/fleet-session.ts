import { asSessionId, handleOf, type SessionHandle, type SessionId } from '../../../sources.js'
import type { TestRequest } from '../../../support/http-request.js'
import { MAIN } from '../../../support/test-app.js'
import type { Shard } from '../shard.js'

export type Fate =
  /** Nobody has touched it: it must be served, or 503 while the database is away. */
  | 'live'
  /** A change is under way whose answer is not here: whatever it answers is right. */
  | 'undecided'
  /** It must never be served again. */
  | 'ended'

/** A session as its client holds it, and what has become of it as far as anybody was told. */
export class FleetSession {
  fate: Fate = 'live'
  /** Requests sent later than this (performance.now) must go by the change. */
  changedAt = Number.POSITIVE_INFINITY
  /** What its user has lost; must not come back either. */
  permissionsLost: readonly string[] = []
  readonly sid: SessionHandle

  constructor(
    readonly sessionId: string,
    /** The newest; a run may be longer than the life of the first. */
    public accessToken: string,
    readonly source: 'main' | 'satellite',
    /** Each user has an address, so that no limit of a network matters. */
    readonly address: string,
    readonly shard: Shard,
  ) {
    this.sid = handleOf(asSessionId(sessionId) as SessionId)
  }

  get refresh(): TestRequest {
    const identifier: Record<string, string> =
      this.source === 'main'
        ? { Origin: MAIN, Cookie: `sessionId=${this.sessionId}` }
        : { 'X-Session-ID': this.sessionId }
    return { method: 'POST', path: '/api/refresh', headers: identifier, localAddress: this.address }
  }

  /** A request in its name, on the page of its site. */
  as(method: string, path: string, body?: object): TestRequest {
    const cookie: Record<string, string> =
      this.source === 'main' ? { Origin: MAIN, Cookie: `sessionId=${this.sessionId}` } : {}
    return {
      method,
      path,
      headers: { Authorization: `Bearer ${this.accessToken}`, ...cookie },
      localAddress: this.address,
      ...(body && { body }),
    }
  }
}

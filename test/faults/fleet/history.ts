import type { TestResponse } from '../../support/http-request.js'
import { claimsOf } from '../support/requests.js'
import type { FleetSession } from './crowd/fleet-session.js'

export interface Refreshed {
  readonly session: FleetSession
  readonly replica: string
  readonly sentAt: number
  readonly answer: TestResponse
}

/** The longest time, in seconds, that a session was 503 without a break. */
export interface Outage {
  ofShard: number
  elsewhere: number
}

/** Sees every answer to a refresh and holds it against what was done to the session before it was asked for. */
export class History {
  refreshes = 0
  /** Refreshes that brought back a session that had ended, or a permission that was taken. */
  revived = 0
  /** Everything that must not have been, in words. */
  readonly faults: string[] = []
  private readonly outages = new Map<string, Outage>()
  private readonly unservedSince = new Map<string, number>()
  private round = ''
  private kind = ''
  private struck: FleetSession['shard'] | null = null

  /** What comes from now on belongs to this round, in which this shard is struck. */
  begin(round: string, kind: string, struck: FleetSession['shard']): void {
    this.round = round
    this.struck = struck
    this.unservedSince.clear()
    if (!this.outages.has(kind)) this.outages.set(kind, { ofShard: 0, elsewhere: 0 })
    this.kind = kind
  }

  /** By kind of fault. */
  get longestOutages(): ReadonlyMap<string, Outage> {
    return this.outages
  }

  see(refreshed: Refreshed): void {
    this.refreshes++
    const { status } = refreshed.answer
    if (status === 200) this.seeServed(refreshed)
    else if (status === 401) this.seeUnknown(refreshed)
    else if (status === 503) this.seeUnavailable(refreshed)
    else this.fail(refreshed, `answered ${status}`)
  }

  /** Notes it, once for a session and a replica; `more` is what differs from one time to the next. */
  fail({ session, replica }: Pick<Refreshed, 'session' | 'replica'>, what: string, more = ''): void {
    const fault = `round ${this.round}: ${session.source} session ${session.sid} at ${replica}: ${what}`
    if (this.faults.some(known => known.startsWith(fault))) return
    this.faults.push(fault + more)
  }

  private seeServed(refreshed: Refreshed): void {
    const { session, sentAt, answer, replica } = refreshed
    session.accessToken = answer.json.accessToken
    this.measure(session, replica)
    if (sentAt <= session.changedAt) return
    const since = `, ${Math.round(sentAt - session.changedAt)} ms after the change`
    const back = permissionsBack(session, answer)
    if (session.fate !== 'ended' && back.length === 0) return
    this.revived++
    this.fail(refreshed, session.fate === 'ended' ? 'revived' : `has ${back} again`, since)
  }

  private seeUnknown(refreshed: Refreshed): void {
    if (refreshed.session.fate === 'live') this.fail(refreshed, 'logged out, though nobody ended it')
  }

  private seeUnavailable(refreshed: Refreshed): void {
    const { session, replica, sentAt, answer } = refreshed
    if (!/^[1-9]\d*$/.test(answer.headers['retry-after'] ?? ''))
      this.fail(refreshed, '503 without Retry-After')
    const key = replica + session.sid
    if (session.fate === 'live' && !this.unservedSince.has(key)) this.unservedSince.set(key, sentAt)
  }

  private measure(session: FleetSession, replica: string): void {
    const key = replica + session.sid
    const since = this.unservedSince.get(key)
    this.unservedSince.delete(key)
    const outage = this.outages.get(this.kind)
    if (since === undefined || !outage) return
    const seconds = (performance.now() - since) / 1_000
    const where = session.shard === this.struck ? 'ofShard' : 'elsewhere'
    outage[where] = Math.max(outage[where], seconds)
  }
}

/** The permissions that the session has lost and has in this answer. */
export function permissionsBack({ permissionsLost }: FleetSession, answer: TestResponse): string[] {
  const { permissions } = claimsOf(answer)
  return permissionsLost.filter(name => permissions[name])
}

/** Whether a session answers for good what its fate asks for. */
export function isAsFated(session: FleetSession, answer: TestResponse): boolean {
  if (session.fate === 'ended') return answer.status === 401
  return answer.status === 200 && permissionsBack(session, answer).length === 0
}

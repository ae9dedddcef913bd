import { sessionIdOf } from '../../../conformance/values/session-cookie.js'
import { eventually } from '../../../support/eventually.js'
import type { RedisServer } from '../../../support/redis/redis-server.js'
import { MAIN, SHOP_ONE } from '../../../support/test-app.js'
import type { Random } from '../../support/random.js'
import { type Fleet, PASSWORD } from '../fleet.js'
import type { Shard } from '../shard.js'
import { FleetSession } from './fleet-session.js'

/** A login is tried again for so long: the round before has only just healed. */
const LOGIN_MS = 20_000
/** So many at two of three shards are no accident. */
const MOST_SESSIONS = 40
/** The login after the first comes from another kind of device, which is mailed with a link to say "not me". */
const DEVICES = [
  'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  'Mozilla/5.0 (iPhone) Version/19.0 Safari/605',
]

/** Somebody with sessions at several shards. */
export class FleetUser {
  readonly sessions: FleetSession[] = []
  /** Known from the first login on. */
  id = ''

  constructor(
    readonly email: string,
    private readonly address: string,
    private readonly fleet: Fleet,
    private readonly random: Random,
  ) {}

  /** Logs in until there are sessions at `count` shards, three sessions at least. */
  async logInUntilAt(count: number): Promise<void> {
    const isThere = () => new Set(this.sessions.map(({ shard }) => shard)).size >= count
    while (this.sessions.length < 3 || !isThere()) {
      if (this.sessions.length >= MOST_SESSIONS)
        throw new Error(`${this.email}: ${this.sessions.length} sessions, but not at ${count} shards`)
      await this.logIn(this.sessions.length % 2 === 0 ? 'main' : 'satellite')
    }
  }

  async logIn(source: 'main' | 'satellite'): Promise<FleetSession> {
    const answer = await eventually(
      async () => {
        const answer = await this.random.oneOf(this.fleet.replicas).request({
          method: 'POST',
          path: '/api/login',
          headers: {
            Origin: source === 'main' ? MAIN : SHOP_ONE,
            'User-Agent': DEVICES[Math.min(this.sessions.length, 1)] as string,
          },
          body: { email: this.email, password: PASSWORD, source },
          localAddress: this.address,
        })
        if (answer.status === 200) return answer
        throw new Error(`login answered ${answer.status} ${answer.text}`)
      },
      { what: `the login of ${this.email}`, timeoutMs: LOGIN_MS, everyMs: 100 },
    )
    const { accessToken } = answer.json as { accessToken: string }
    const { sid, sub } = JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString())
    this.id = sub
    const sessionId = sessionIdOf(answer) as string
    const session = new FleetSession(sessionId, accessToken, source, this.address, await this.shardOf(sid))
    this.sessions.push(session)
    return session
  }

  /** The token of the newest mailed link to this page; waits for it. */
  mailedToken(page: string): Promise<string> {
    const link = new RegExp(`${page}#token=([A-Za-z0-9_-]+)`)
    const find = () =>
      this.fleet.outbox.mails
        .filter(({ to }) => to === this.email)
        .map(({ text }) => link.exec(text)?.[1])
        .findLast(token => token)
    return eventually(find, { what: `a mail that leads to ${page}` }) as Promise<string>
  }

  /** Where its copy will be. */
  private async shardOf(sid: string): Promise<Shard> {
    const [master] = await this.fleet.cluster.mastersOf([`copy:${sid}`])
    return this.fleet.shards.find(shard => shard.has(master as RedisServer)) as Shard
  }
}

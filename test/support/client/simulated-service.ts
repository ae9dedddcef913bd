import { createHash } from 'node:crypto'
import type { SimulatedDevice } from './simulated-device.js'

const LIFETIME_SECONDS = 900
/** From here to the service and back. */
const TRAVEL_MS = 50

/** As much of the service as tabs see of it, in simulated time: for what takes hours. Its clock is its own. */
export class SimulatedService {
  /** Every request, as `POST /api/refresh`. */
  readonly requests: string[] = []
  /**
   * Answers all requests but those for data; null: everything works. `lost` is a network without an answer, `unlisted` a
   * service that this page may not read: browsers say the same of both, but for a request that needs no permission.
   */
  outage: { status: number; headers?: Record<string, string>; body?: object } | 'lost' | 'unlisted' | null =
    null
  /** Codes of hand-offs that are good, each once, with the challenge that their verifier must fit. */
  readonly handOffCodes = new Map<string, string>()
  /** Of the one user who has a second factor; a login has to be completed with it. Null: nobody has one. */
  code: string | null = null
  /** Of every session. */
  permissions: object = { dataEntry: true }
  /** The idle timeout of all sessions; null for none. */
  idleSeconds: number | null = null
  /** How long the challenges for passkeys are good for. */
  passkeyTimeoutMs = 300_000
  /** The session of the one cookie jar. */
  cookie: string | null = null
  /** With what is said of why. */
  private readonly usedAt = new Map<string, number>()
  private readonly ended = new Map<string, string | undefined>()
  private readonly tokens = new Map<string, { sid: string; diesAt: number }>()
  private sessions = 0
  private challenges = 0

  constructor(
    private readonly device: SimulatedDevice,
    private readonly epochSeconds = 1_700_000_000,
  ) {}

  refreshes(): number {
    return this.requests.filter(line => line === 'POST /api/refresh').length
  }

  /** Ends a session as somebody else would, from another device. */
  revoke(sid: string, reason?: 'revoked' | 'expired'): void {
    this.ended.set(sid, reason)
  }

  isEnded(sid: string): boolean {
    return this.ended.has(sid)
  }

  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const request = new Request(input, init as RequestInit)
    const path = new URL(request.url).pathname
    this.requests.push(`${request.method} ${path}`)
    await this.device.sleep(TRAVEL_MS / 2)
    const answer = this.answer(path, request, await request.text())
    await this.device.sleep(TRAVEL_MS / 2)
    if (answer === 'lost') throw new TypeError('fetch failed')
    return answer
  }

  private answer(path: string, request: Request, body: string): Response | 'lost' {
    if (this.outage === 'unlisted' && path === '/health/live') return opaque()
    if (this.outage === 'lost' || this.outage === 'unlisted') return 'lost'
    if (path === '/api/data') return this.answerData(request)
    if (this.outage) return json(this.outage.body ?? {}, this.outage.status, this.outage.headers)
    if (path === '/api/login') return this.answerPassword(JSON.parse(body))
    if (path === '/api/password/reset') return this.answerLink()
    if (path === '/api/login/second-factor') return this.answerSecondFactor(JSON.parse(body))
    if (path === '/api/login/passkey/options') return this.answerPasskeyOptions()
    if (path === '/api/login/passkey') return this.answerPasskey(JSON.parse(body))
    if (path === '/api/handoff/redeem') return this.answerRedeem(JSON.parse(body))
    if (path === '/api/refresh') return this.answerRefresh(request.headers.get('X-Session-ID') ?? this.cookie)
    const sid = this.tokenOf(request)?.sid ?? ''
    this.revoke(sid, 'revoked')
    // As the service does, which leaves the cookie of another session alone.
    if (request.credentials === 'include' && sid === `handle-of-${this.cookie}`) this.cookie = null
    return new Response(null, { status: 204 })
  }

  private answerPassword({ source }: { source: string }): Response {
    if (this.code === null) return this.answerLogin(source)
    const methods = ['totp', 'recovery']
    return json({ code: 'SECOND_FACTOR_REQUIRED', challenge: 'challenge-1', methods }, 401)
  }

  /** It is done in any case; only the login may be refused. */
  private answerLink(): Response {
    if (this.code === null) return this.answerLogin('main')
    const methods = ['totp', 'recovery']
    return json({ satellites: null, code: 'SECOND_FACTOR_REQUIRED', challenge: 'challenge-1', methods })
  }

  private answerSecondFactor({ challenge, code }: { challenge: string; code: string }): Response {
    if (challenge !== 'challenge-1') return json({ code: 'CHALLENGE_EXPIRED' }, 401)
    return code === this.code ? this.answerLogin('main') : json({ code: 'SECOND_FACTOR_INVALID' }, 401)
  }

  private answerPasskeyOptions(): Response {
    this.challenges += 1
    return json({ challenge: `passkey-${this.challenges}`, timeout: this.passkeyTimeoutMs })
  }

  private answerPasskey({ response, source }: { response: { signed: string }; source: string }): Response {
    const isGood = response.signed === `passkey-${this.challenges}`
    return isGood ? this.answerLogin(source) : json({ code: 'PASSKEY_INVALID' }, 401)
  }

  private answerLogin(source: string): Response {
    this.sessions += 1
    const id = `session-${this.sessions}`
    if (source === 'main') this.cookie = id
    return json({ accessToken: this.issue(id), ...(source !== 'main' && { sessionId: id }) })
  }

  private answerRedeem({ code, verifier }: { code: string; verifier: string }): Response {
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (this.handOffCodes.get(code) !== challenge) return json({ code: 'HANDOFF_CODE_INVALID' }, 401)
    this.handOffCodes.delete(code)
    return this.answerLogin('satellite')
  }

  private answerRefresh(id: string | null): Response {
    if (!id) return new Response(null, { status: 204 })
    if (this.ended.has(sidOf(id)))
      return json({ code: 'SESSION_NOT_FOUND', reason: this.ended.get(sidOf(id)) }, 401)
    const unusedMs = this.device.now - (this.usedAt.get(sidOf(id)) ?? 0)
    if (this.idleSeconds !== null && unusedMs >= this.idleSeconds * 1000)
      return json({ code: 'SESSION_NOT_FOUND', reason: 'idle' }, 401)
    return json({ accessToken: this.issue(id) })
  }

  private answerData(request: Request): Response {
    const token = this.tokenOf(request)
    const isLive = token && this.device.now < token.diesAt
    return isLive ? json({ sid: token.sid }) : json({ code: 'INVALID_ACCESS_TOKEN' }, 401)
  }

  private tokenOf(request: Request): { sid: string; diesAt: number } | undefined {
    return this.tokens.get(request.headers.get('Authorization')?.slice('Bearer '.length) ?? '')
  }

  private issue(id: string): string {
    const iat = this.epochSeconds + Math.floor(this.device.now / 1000)
    const claims = {
      userId: `user-of-${id}`,
      accountId: 'account',
      sid: sidOf(id),
      permissions: this.permissions,
      iat,
      exp: iat + LIFETIME_SECONDS,
      ...(this.idleSeconds !== null && { idle_timeout: this.idleSeconds }),
      jti: this.tokens.size,
    }
    this.usedAt.set(claims.sid, this.device.now)
    const text = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`
    this.tokens.set(text, { sid: claims.sid, diesAt: this.device.now + LIFETIME_SECONDS * 1000 })
    return text
  }
}

function sidOf(sessionId: string): string {
  return `handle-of-${sessionId}`
}

/** What a page gets in the mode `no-cors`. */
function opaque(): Response {
  return Object.defineProperty(new Response(), 'type', { value: 'opaque' })
}

function json(body: object, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers })
}

import type { Platform } from '../platform.js'
import { type AccessToken, readToken } from '../tokens/access-token.js'
import type { Presented, SessionHome } from '../tokens/session-home.js'
import type { LogoutCause, WaitReason } from './caller.js'
import { fetchInTime } from './fetch-in-time.js'
import { errorOf, type MainstayError } from './mainstay-error.js'

/** A request that hangs would hold up the other tabs. */
const TIMEOUT_MS = 10_000

export interface Credentials {
  readonly email: string
  readonly password: string
}

/** The second step of a login: the challenge of `SECOND_FACTOR_REQUIRED`, and one proof. */
export type SecondFactor = {
  readonly challenge: string
  /** On the main site: asks for no second factor on this device for 30 days. */
  readonly rememberDevice?: boolean
} & (
  | { /** Six digits from an authenticator app. */ readonly code: string }
  | { readonly recoveryCode: string }
  | { /** As returned by `signWithPasskey`. */ readonly passkey: object }
)

/** What a browser needs to sign with a passkey: `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export interface PasskeyRequestOptions {
  readonly challenge: string
  /** How long the challenge is good for, in milliseconds. */
  readonly timeout?: number
}

interface LoginAnswer {
  readonly accessToken: string
  /** Only from satellite logins. */
  readonly sessionId?: string
  /** Only when the device was new to the service. */
  readonly deviceId?: string
}

/**
 * The calls that start and end sessions. Each throws a MainstayError when the service refuses, anything else
 * when there was no answer.
 */
export class SessionCalls {
  /** Whether this page has ever been able to read an answer. */
  private wasRead = false
  private hasWarned = false

  constructor(
    private readonly baseUrl: string,
    private readonly home: SessionHome,
    private readonly platform: Platform,
  ) {}

  /** `path` is what follows `/api/`. Throws unless the answer is a success. */
  async post(
    path: string,
    body: object | null = null,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const init: RequestInit = {
      method: 'POST',
      headers: body ? { ...headers, 'Content-Type': 'application/json' } : headers,
      credentials: this.home.credentials,
      body: body && JSON.stringify(body),
    }
    const answer = await fetchInTime(this.platform, TIMEOUT_MS, `${this.baseUrl}/api/${path}`, init, true)
    this.wasRead = true
    if (!answer.ok) throw await errorOf(answer)
    return answer
  }

  /** Logs in by this call and stores the session where it belongs. */
  async login(path: string, body: object): Promise<AccessToken> {
    const requestedAt = this.platform.now()
    const { home } = this
    const answer = await this.post(path, { ...body, deviceId: await home.deviceId() })
    const { accessToken, sessionId, deviceId } = (await answer.json()) as LoginAnswer
    const token = readToken(accessToken, requestedAt)
    await home.keep(sessionId, token.caller.sid, deviceId)
    return token
  }

  /** A new token; the cause when the service says that this session is over; null when it was shown no session. */
  async refresh({ headers }: Presented): Promise<AccessToken | LogoutCause | null> {
    const requestedAt = this.platform.now()
    try {
      // 204 rather than 401 for a visitor without a cookie: browsers print each 401 in red.
      const answer = await this.post('refresh?optional=true', null, headers)
      if (answer.status === 204) return null
      const { accessToken } = (await answer.json()) as LoginAnswer
      return readToken(accessToken, requestedAt)
    } catch (error) {
      // Not any 401: it may be a proxy's.
      const { code, reason = 'ended' } = error as Partial<MainstayError>
      if (code === 'SESSION_NOT_FOUND') return reason
      throw error
    }
  }

  /** Ends the session of this token. */
  async logout({ text }: AccessToken): Promise<void> {
    await this.post('logout', null, { Authorization: `Bearer ${text}` })
  }

  /** The wait reason for a call that failed with this error. */
  async reasonFor(error: unknown): Promise<WaitReason> {
    const { status, code } = error as Partial<MainstayError>
    const { name } = error as Error
    if (status ? code !== 'ORIGIN_NOT_ALLOWED' : name === 'TimeoutError') return 'service'
    if (!status && (this.wasRead || !(await this.answersUnreadably()))) return 'network'
    this.warnOfOrigin()
    return 'origin'
  }

  /**
   * Browsers report an unreadable answer just like a lost network. This asks in the one way that needs no
   * permission.
   */
  private async answersUnreadably(): Promise<boolean> {
    const options = { mode: 'no-cors', credentials: 'omit', cache: 'no-store' } as const
    const answer = await fetchInTime(this.platform, TIMEOUT_MS, `${this.baseUrl}/health/live`, options).catch(
      () => null,
    )
    return answer?.type === 'opaque'
  }

  private warnOfOrigin(): void {
    if (this.hasWarned) return
    this.hasWarned = true
    const { location } = globalThis as { location?: { origin?: string } }
    this.platform.warn(
      `Mainstay at ${this.baseUrl}: ${location?.origin} is not ` +
        `${this.home.source === 'main' ? 'MAIN_ORIGIN' : 'in ALLOWED_ORIGINS'}, or a proxy answers`,
    )
  }
}

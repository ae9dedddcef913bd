import { type AccessToken, readToken } from './access-token.js'
import { errorOf, MainstayError } from './mainstay-error.js'
import type { Platform } from './platform.js'
import type { Presented, SessionHome } from './session-home.js'

/** A request that hangs would hold up the other tabs. */
const TIMEOUT_MS = 10_000

export interface Credentials {
  readonly email: string
  readonly password: string
}

interface LoginAnswer {
  readonly accessToken: string
  /** Elsewhere than on the main site, at login. */
  readonly sessionId?: string
}

/** The three calls of the service that make and end sessions. Each throws a MainstayError for a refusal, anything else when there was no answer. */
export class Api {
  constructor(
    private readonly baseUrl: string,
    private readonly home: SessionHome,
    private readonly platform: Platform,
  ) {}

  /** Logs in and puts the session where it belongs. */
  async login({ email, password }: Credentials): Promise<AccessToken> {
    const bornAt = this.platform.now()
    const answer = await this.post('login', {}, { email, password, source: this.home.source })
    const { accessToken, sessionId } = (await answer.json()) as LoginAnswer
    const token = readToken(accessToken, bornAt)
    await this.home.keep(sessionId, token.caller.sid)
    return token
  }

  /** A new token; null when the service says that this session is over. */
  async refresh({ headers }: Presented): Promise<AccessToken | null> {
    const bornAt = this.platform.now()
    try {
      const answer = await this.post('refresh', headers)
      const { accessToken } = (await answer.json()) as LoginAnswer
      return readToken(accessToken, bornAt)
    } catch (error) {
      if (error instanceof MainstayError && error.status === 401) return null
      throw error
    }
  }

  /** Ends the session of this token. */
  async logout({ text }: AccessToken): Promise<void> {
    await this.post('logout', { Authorization: `Bearer ${text}` })
  }

  private async post(path: string, headers: Record<string, string>, body?: object): Promise<Response> {
    const timeout = new AbortController()
    const callOff = this.platform.after(TIMEOUT_MS, () => timeout.abort())
    try {
      const answer = await this.platform.fetch(`${this.baseUrl}/api/${path}`, {
        method: 'POST',
        headers: body ? { ...headers, 'Content-Type': 'application/json' } : headers,
        credentials: this.home.credentials,
        signal: timeout.signal,
        ...(body && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw await errorOf(answer)
      return answer
    } finally {
      callOff()
    }
  }
}

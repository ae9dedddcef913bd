import { errorOf, type MainstayError } from './mainstay-error.js'
import type { Platform } from './platform.js'
import type { Presented, SessionHome } from './session-home.js'
import { type AccessToken, type LogoutCause, readToken, type WaitReason } from './session-state.js'

/**
 * `fetch` that fails with a `TimeoutError` when no answer has started after `ms`. Not where the caller passes
 * a signal in `init`: then that one decides, and a long upload may take its time. A Request's own signal is
 * honoured beside the timeout: every Request has one, whether the caller set it or not. The body of a refusal, which
 * is read here, must have arrived in this time too; with `isWhole`, any body.
 */
export async function fetchInTime(
  platform: Platform,
  ms: number,
  input: string | Request,
  init: RequestInit = {},
  isWhole = false,
): Promise<Response> {
  if (init.signal) return platform.fetch(input, init)
  const patience = new AbortController()
  const theirs = (input as Partial<Request>).signal
  const giveUp = () => patience.abort(theirs?.reason)
  if (theirs?.aborted) giveUp()
  theirs?.addEventListener('abort', giveUp)
  let late: Error | undefined
  const expire = () => {
    late = Object.assign(new Error('No answer'), { name: 'TimeoutError' })
    patience.abort(late)
  }
  const callOff = platform.after(ms, expire, true)
  try {
    const answer = await platform.fetch(input, { ...init, signal: patience.signal })
    isWhole ||= !answer.ok
    return answer
  } catch (error) {
    // React Native's `fetch` forgets the reason.
    throw late ?? error
  } finally {
    // Nothing happens to a body that has arrived by then.
    isWhole || callOff()
  }
}

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
  /** Only a mailed link can have done its work without one; then the answer says why. */
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

  /**
   * Logs in by this call and stores the session where it belongs. A MainstayError with a status below 300: it has done
   * what it is for, except for the login.
   */
  async login(path: string, body: object): Promise<AccessToken> {
    const requestedAt = this.platform.now()
    const { home } = this
    const answer = await this.post(path, { ...body, deviceId: await home.deviceId() })
    const { accessToken, sessionId, deviceId } = (await answer.clone().json()) as LoginAnswer
    if (!accessToken) throw await errorOf(answer)
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

/**
 * In codes of 401 errors of the service that a new token would not fix: wrong passwords, codes and passkeys, which
 * count as guesses, and what has to be proved first.
 */
const NOT_ABOUT_THE_TOKEN = /SECOND_FACTOR|PASSKEY|CREDENTIALS|REAUTHENTICATION|STEP_UP/

/**
 * The full URL of a request. Throws a TypeError unless it begins with a trusted base and a slash: that fixes
 * the host, whatever follows. A token sent to another server would open everything until it expired.
 */
export function trustedUrl(input: string | URL | Request, trusted: readonly string[]): string {
  const text = (input as Partial<Request>).url ?? String(input)
  const url = text.startsWith('/') ? `${trusted[0]}${text}` : text
  if (!trusted.some(base => url.startsWith(`${base}/`)))
    throw new TypeError(`${url} is not in baseUrl or backends`)
  return url
}

type Send = (target: string | Request, init: RequestInit) => Promise<Response>

/**
 * Sends the request, and once more after a 401 if it can be repeated and `replace` finds another token of the
 * same user: what one person asked for is not done in the name of the next.
 */
export async function fetchWithToken(
  send: Send,
  input: string | URL | Request,
  url: string,
  init: RequestInit,
  token: AccessToken,
  replace: (refused: AccessToken) => Promise<AccessToken | null>,
): Promise<Response> {
  const again = isRequest(input) ? input.clone() : url
  const answer = await sendWith(send, isRequest(input) ? input : url, init, token)
  if (answer.status !== 401 || isStream(init.body)) return answer
  if (NOT_ABOUT_THE_TOKEN.test((await errorOf(answer)).code)) return answer
  const other = await replace(token)
  return other?.caller.userId === token.caller.userId ? sendWith(send, again, init, other) : answer
}

function sendWith(
  send: Send,
  target: string | Request,
  init: RequestInit,
  { text }: AccessToken,
): Promise<Response> {
  const headers = new Headers(init.headers ?? (target as Partial<Request>).headers)
  // As a plain object: a `fetch` with a Headers of its own reads nothing from this one.
  const plain = { ...Object.fromEntries(headers), authorization: `Bearer ${text}` }
  return send(target, { ...init, headers: plain })
}

export function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && 'url' in input
}

/** A stream can be read only once. */
export function isStream(body: unknown): boolean {
  return Boolean((body as Partial<ReadableStream> | null | undefined)?.getReader)
}

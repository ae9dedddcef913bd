import {
  type Credentials,
  fetchInTime,
  fetchWithToken,
  type PasskeyRequestOptions,
  type SecondFactor,
  SessionCalls,
  trustedUrl,
} from './calls.js'
import { Logouts } from './logouts.js'
import { MainstayError } from './mainstay-error.js'
import type { Platform } from './platform.js'
import type { SessionHome } from './session-home.js'
import { type AccessToken, type Caller, type ChangeKind, SessionState, type State } from './session-state.js'
import { TokenKeeper } from './token-keeper.js'
import { unlessAborted } from './waiting.js'

export interface ClientOptions {
  /** Where the service is, such as `https://auth.example.com`. */
  readonly baseUrl: string
  /** Origins of your own backends that accept our access tokens. A token is never sent anywhere else. */
  readonly backends?: readonly string[]
  /** Used instead of the platform's own `fetch`. */
  readonly fetch?: typeof fetch
}

/** If a fresh token is refused too, wait this long before forcing another refresh: it would not help either. */
const NEXT_FORCED_REFRESH_MS = 10_000
/** Longer than the slowest response of the service, which waits for the payment provider. */
const TIMEOUT_MS = 20_000

/** One person's session on one device, shared by all tabs of a site. */
export class Client {
  /** Where the service is, without a trailing slash. */
  readonly baseUrl: string
  private readonly sessionState = new SessionState()
  private readonly keeper: TokenKeeper
  private readonly logouts: Logouts
  private readonly calls: SessionCalls
  private readonly trusted: readonly string[]
  private readonly stopListening: () => void
  /** No refresh is forced before this moment of the monotonic clock. */
  private nextForced = 0

  constructor(
    { baseUrl, backends = [] }: ClientOptions,
    private readonly home: SessionHome,
    private readonly platform: Platform,
  ) {
    this.trusted = [baseUrl, ...backends].map(withoutSlash)
    this.baseUrl = this.trusted[0] as string
    this.calls = new SessionCalls(this.baseUrl, home, platform)
    const name = `mainstay ${home.source} ${this.baseUrl}`
    this.keeper = new TokenKeeper(name, this.calls, home, platform, this.sessionState)
    this.logouts = new Logouts(this.calls, home, platform, this.keeper, this.sessionState)
    this.stopListening = platform.onWake(({ persisted }) => {
      if (persisted && this.state.status !== 'unknown') this.refresh().catch(() => {})
    })
  }

  /** Which of the two kinds of sites this is; apps are satellites. */
  get source(): 'main' | 'satellite' {
    return this.home.source
  }

  /**
   * Whether the session ends with the page, because the browser stores nothing for this site. Known once the storage has been
   * used: as soon as it is known who is logged in.
   */
  get isTemporary(): boolean {
    return this.home.isTemporary()
  }

  /** Who is logged in, as far as is known. */
  get state(): State {
    return this.sessionState.current
  }

  /**
   * Calls `listener` as soon as it is known who is logged in, and again whenever a user logs in or out (in
   * any tab), their permissions change, or the `reason` for waiting changes; `kind` says which. Returns a
   * function that unsubscribes.
   */
  readonly onChange = (listener: (state: State, kind: ChangeKind) => void): (() => void) =>
    this.sessionState.listen(listener)

  /**
   * Logs in. Throws a {@link MainstayError}: `INVALID_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, or one with status
   * 503, after which you can try again; or a TypeError when the network is down. Never retries by itself,
   * because a person is waiting. For a user with a second factor it throws `SECOND_FACTOR_REQUIRED`
   * (`isSecondFactorRequired`), which has the `challenge` and the `methods` for `completeSecondFactor`.
   */
  login({ email, password }: Credentials): Promise<Caller> {
    return this.loginBy('login', { email, password, source: this.home.source })
  }

  /**
   * The second step of a login. Throws as `login` does, and also `SECOND_FACTOR_INVALID`, after which you can
   * try again, and `CHALLENGE_EXPIRED` after five wrong tries or five minutes: then start over with `login`.
   */
  completeSecondFactor(secondFactor: SecondFactor): Promise<Caller> {
    return this.loginBy('login/second-factor', secondFactor)
  }

  /** A new challenge for passkeys, for `@mainstay-auth/client/passkeys`. Throws as `login` does. */
  async passkeyOptions(): Promise<PasskeyRequestOptions> {
    return (await this.calls.post('login/passkey/options')).json() as Promise<PasskeyRequestOptions>
  }

  /**
   * Logs in by another of the service's login endpoints: `path` is what follows `/api/`; its response must be
   * like that of `POST /api/login`. Throws as `login` does. Mailed links log in like this too: `signup/verify`,
   * `invitations/accept` and `password/reset`. Where they have done everything but that, the `status` of the error is
   * below 300, and its `code` what `login` would throw.
   */
  async loginBy(path: string, body: object): Promise<Caller> {
    if (this.home.source === 'main') await this.logouts.callOff()
    try {
      const token = await this.calls.login(path, body)
      this.keeper.take(token)
      return token.caller
    } catch (error) {
      if (this.state.status === 'loggedOut') void this.logouts.finish()
      throw error
    }
  }

  /**
   * Logs out here and in the other tabs at once; resolves when the service knows. Until then `state.reason`
   * says why it does not know yet, and a note in storage stops a newly opened page from picking the session
   * up again: that page finishes the logout instead.
   */
  logout(): Promise<void> {
    return this.logouts.begin()
  }

  /**
   * Gets a new token, so that `state` matches what the service says now: after a page has loaded, or a
   * permission has changed. Waits as long as an outage lasts, unless `signal` aborts. Returns who is logged
   * in, or null for no user.
   */
  async refresh({ signal }: { signal?: AbortSignal | null } = {}): Promise<Caller | null> {
    await unlessAborted(this.findOutWhoIsLoggedIn(), signal)
    return this.state.caller
  }

  /** A live access token, for what `fetch` cannot do; null when no user is logged in. Waits as `refresh` does. */
  async accessToken(options: { signal?: AbortSignal | null } = {}): Promise<string | null> {
    return (await this.liveToken(options))?.text ?? null
  }

  /**
   * Like the global `fetch`, but with the access token. A bare path goes to the service. If a new token is
   * needed first, this waits out an outage of the service, unless `init.signal` aborts; the response itself
   * is returned as it is, whatever its status. Throws a {@link MainstayError} `SESSION_NOT_FOUND` when no user
   * is logged in, or another one by the time the token has come, and a TypeError for a URL that belongs
   * neither to the service nor to `backends`. Unless you pass a signal, it fails with a `TimeoutError` when no
   * response has started after 20 seconds.
   */
  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = trustedUrl(input, this.trusted)
    const signal = init.signal ?? (input as Partial<Request>).signal ?? null
    const asking = this.state.caller?.userId
    const token = await this.liveToken({ signal })
    if (!token || (asking && token.caller.userId !== asking))
      throw new MainstayError(401, { code: 'SESSION_NOT_FOUND', detail: 'Nobody is logged in' })
    const isOurs = url.startsWith(`${this.baseUrl}/`)
    const options = isOurs ? { credentials: this.home.credentials, ...init } : init
    const send = (target: string | Request, sent: RequestInit) =>
      fetchInTime(this.platform, TIMEOUT_MS, target, sent)
    return fetchWithToken(send, input, url, options, token, refused => this.replacementOf(refused, signal))
  }

  /**
   * Stops everything in the background, and logs no user out. Of a logout that the service has not heard of yet,
   * an attempt under way is still completed; the next client with the same session does the rest. Calls that
   * are waiting, such as `logout` and `refresh`, resolve with what is known.
   */
  close(): void {
    this.stopListening()
    this.keeper.close()
    this.sessionState.close()
    void this.logouts.callOff()
  }

  private async findOutWhoIsLoggedIn(): Promise<void> {
    if (!(await this.logouts.finish())) await this.keeper.refresh()
  }

  private async liveToken(options: { signal?: AbortSignal | null }): Promise<AccessToken | null> {
    this.keeper.noteCall()
    if (!this.keeper.live() && this.state.status !== 'loggedOut') await this.refresh(options)
    return this.keeper.live()
  }

  /** A token other than the one that was refused; null when there is none to be had. */
  private async replacementOf(refused: AccessToken, signal: AbortSignal | null): Promise<AccessToken | null> {
    const { platform, keeper } = this
    const live = keeper.live()
    if (live && live !== refused) return live
    if (platform.now() < this.nextForced || this.state.status === 'loggedOut') return null
    await this.refresh({ signal })
    this.nextForced = platform.now() + NEXT_FORCED_REFRESH_MS
    return keeper.live()
  }
}

function withoutSlash(url: string): string {
  if (!/^https?:\/\/[^/]/.test(url)) throw new TypeError(`${url} is not an http(s) address`)
  return url.replace(/\/+$/, '')
}

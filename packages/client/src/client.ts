import { Api, type Credentials, type PasskeyRequestOptions, type SecondFactor } from './http/api.js'
import { fetchWithToken, trustedUrl } from './http/bearer-fetch.js'
import type { Caller, ChangeKind, State, WaitReason } from './http/caller.js'
import { fetchInTime } from './http/fetch-in-time.js'
import { Logout, type Rest } from './http/logout.js'
import { MainstayError } from './http/mainstay-error.js'
import type { Platform } from './platform.js'
import type { AccessToken } from './tokens/access-token.js'
import type { SessionHome } from './tokens/session-home.js'
import { TokenKeeper } from './tokens/token-keeper.js'
import { unlessAborted } from './tokens/waiting.js'

export interface ClientOptions {
  /** Where the service is, such as `https://auth.example.com`. */
  readonly baseUrl: string
  /** Your own backends that accept our access tokens, by origin. No other address is ever sent one. */
  readonly backends?: readonly string[]
  /** Instead of the device's own. */
  readonly fetch?: typeof fetch
}

/** After a new token was refused too, no other is asked for within this time: it would not help either. */
const NEXT_FORCED_REFRESH_MS = 10_000
/** Longer than the slowest answer of the service, which waits for the payment provider. */
const TIMEOUT_MS = 20_000

/** One person's session on one device, over all tabs of a site. */
export class Client {
  /** Where the service is, without a slash at its end. */
  readonly baseUrl: string
  private readonly keeper: TokenKeeper
  private readonly api: Api
  private readonly trusted: readonly string[]
  private forcedAt = Number.NEGATIVE_INFINITY
  private leaving: Logout | null = null

  constructor(
    { baseUrl, backends = [] }: ClientOptions,
    private readonly home: SessionHome,
    private readonly platform: Platform,
  ) {
    this.trusted = [baseUrl, ...backends].map(withoutSlash)
    this.baseUrl = this.trusted[0] as string
    this.api = new Api(this.baseUrl, home, platform)
    this.keeper = new TokenKeeper(`mainstay ${home.source} ${this.baseUrl}`, this.api, home, platform)
  }

  /** Which of the two kinds of sites this is; apps are satellites. */
  get source(): 'main' | 'satellite' {
    return this.home.source
  }

  /** Who is logged in, as far as it is known. */
  get state(): State {
    return this.keeper.state
  }

  /**
   * Calls `listener` as soon as it is known who is logged in, and whenever somebody logs in or out, in whichever
   * tab, their permissions change, or the `reason` to wait does; `kind` says which. The answer ends that.
   */
  readonly onChange = (listener: (state: State, kind: ChangeKind) => void): (() => void) =>
    this.keeper.listen(listener)

  /**
   * Logs in. Throws a {@link MainstayError}: `INVALID_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, or one with status
   * 503, after which it can be tried again; a TypeError when the network is lost. Nothing is repeated:
   * somebody is looking. Who has a second factor is not logged in yet: `SECOND_FACTOR_REQUIRED`
   * (`isSecondFactorRequired`) has the `challenge` and the `methods` for `completeSecondFactor`.
   */
  login({ email, password }: Credentials): Promise<Caller> {
    return this.loginBy('login', { email, password, source: this.home.source })
  }

  /**
   * The second step of a login. Throws as `login` does: `SECOND_FACTOR_INVALID`, after which it can be tried
   * again, and `CHALLENGE_EXPIRED` after five wrong tries or five minutes: then begin again with `login`.
   */
  completeSecondFactor(secondFactor: SecondFactor): Promise<Caller> {
    return this.loginBy('login/second-factor', secondFactor)
  }

  /** A new challenge for passkeys, for `@mainstay-auth/client/passkeys`. Throws as `login` does. */
  async passkeyOptions(): Promise<PasskeyRequestOptions> {
    return (await this.api.post('login/passkey/options', {})).json() as Promise<PasskeyRequestOptions>
  }

  /**
   * Logs in by another way that the service has: `path` is what follows `/api/`, and the answer is one of
   * `POST /api/login`. Throws as `login` does.
   */
  async loginBy(path: string, body: object): Promise<Caller> {
    if (this.home.source === 'main') await this.leaving?.callOff()
    try {
      const token = await this.api.login(path, body)
      this.keeper.take(token)
      return token.caller
    } catch (error) {
      if (this.state.status === 'loggedOut') void this.finishLogout()
      throw error
    }
  }

  /**
   * Logs out: here and in the other tabs at once; resolves when the service knows. Until then `state.reason`
   * says why it does not, and a note in the storage keeps a page that is opened anew from being logged in: it
   * finishes the logout.
   */
  async logout(): Promise<void> {
    const token = this.keeper.live()
    // A storage that is locked keeps nobody from logging out.
    const session = await this.home.presented().catch(() => null)
    const sid = this.keeper.sid() ?? session?.sid ?? null
    this.keeper.end(sid, 'logout')
    const isNoted = await this.home.leave(sid).catch(() => false)
    await this.leave({ token, session, sid, isNoted })
  }

  /**
   * Asks for a new token, so that `state` is what the service says now: after a page was loaded, or a
   * permission changed. Waits as long as an outage lasts, unless `signal` aborts. Who is logged in; null for
   * nobody.
   */
  async refresh({ signal }: { signal?: AbortSignal | null } = {}): Promise<Caller | null> {
    await unlessAborted(this.lookWhoIsThere(), signal)
    return this.state.caller
  }

  /**
   * A live access token, for what `fetch` cannot do; null when nobody is logged in. Waits as `refresh` does.
   */
  async accessToken(options: { signal?: AbortSignal | null } = {}): Promise<string | null> {
    return (await this.liveToken(options))?.text ?? null
  }

  /**
   * As the global `fetch`, with the access token. A path alone is one of the service. Before the request an
   * outage of the service is waited out if a new token is needed, unless `init.signal` aborts; the answer
   * itself is yours, whatever it is. Throws a {@link MainstayError} `SESSION_NOT_FOUND` when nobody is logged
   * in, and a TypeError for an address that is neither the service nor in `backends`. Without a signal of
   * yours it gives up with a `TimeoutError` when no answer has begun after 20 seconds.
   */
  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = trustedUrl(input, this.trusted)
    const signal = init.signal ?? (typeof input === 'object' && 'signal' in input ? input.signal : null)
    const token = await this.liveToken({ signal })
    if (!token) throw new MainstayError(401, { code: 'SESSION_NOT_FOUND', detail: 'Nobody is logged in' })
    const isOurs = url.startsWith(`${this.baseUrl}/`)
    const options = isOurs ? { credentials: this.home.credentials, ...init } : init
    const send = (target: string | Request, sent: RequestInit) =>
      fetchInTime(this.platform, TIMEOUT_MS, target, sent)
    return fetchWithToken(send, input, url, options, token, refused => this.replacementOf(refused, signal))
  }

  /** Ends what runs in the background. Nobody is logged out. */
  close(): void {
    this.keeper.close()
  }

  private async lookWhoIsThere(): Promise<void> {
    if (!(await this.finishLogout())) await this.keeper.refresh()
  }

  /**
   * A logout that the service has not heard of: its session would be taken up again. Whether there is one;
   * does not wait for it.
   */
  private async finishLogout(): Promise<boolean> {
    const session = await this.home.left().catch(() => null)
    if (!session) return false
    this.keeper.end(session.sid, 'logout')
    this.leave({ token: null, session, sid: session.sid, isNoted: true }).catch(() => {})
    return true
  }

  private leave(rest: Rest): Promise<void> {
    const explain = (reason: WaitReason | null) => this.keeper.explain('loggedOut', reason)
    this.leaving ??= new Logout(this.api, this.home, this.platform, rest, explain)
    return this.leaving.done.finally(() => {
      this.leaving = null
    })
  }

  private async liveToken({ signal }: { signal?: AbortSignal | null }): Promise<AccessToken | null> {
    if (!this.keeper.live() && this.state.status !== 'loggedOut')
      await this.refresh({ signal: signal ?? null })
    return this.keeper.live()
  }

  /** Another token than the one a backend has refused; null when there is none to be had. */
  private async replacementOf(refused: AccessToken, signal: AbortSignal | null): Promise<AccessToken | null> {
    const { platform, keeper } = this
    const live = keeper.live()
    if (live && live !== refused) return live
    const isTooSoon = platform.now() - this.forcedAt < NEXT_FORCED_REFRESH_MS
    if (isTooSoon || this.state.status === 'loggedOut') return null
    await this.refresh({ signal })
    this.forcedAt = platform.now()
    return keeper.live()
  }
}

function withoutSlash(url: string): string {
  if (!/^https?:\/\/[^/]/.test(url)) throw new TypeError(`${url} is not an http(s) address`)
  return url.replace(/\/+$/, '')
}

import type { Client } from './client.js'
import type { Caller } from './session-state.js'

export interface HandOffOptions {
  /** The main site, such as `https://www.example.com`: where people log in. */
  readonly mainUrl: string
}

/**
 * Why no user is logged in. The main site reports the first four: no user is logged in there
 * (`login_required`); the person declined, or the satellite takes passwords only (`access_denied`); they are
 * not invited to this satellite; the satellite is suspended. `interrupted`: this tab did not ask for the
 * answer that it got. `expired`: the answer came too late, or a second time.
 */
export type HandOffRefusal =
  | 'login_required'
  | 'access_denied'
  | 'not_invited'
  | 'suspended'
  | 'interrupted'
  | 'expired'

export type HandOffResult = {
  /** Where to continue within this site: path and query. */
  readonly path: string
} & (
  | { readonly status: 'loggedIn'; readonly caller: Caller }
  | { readonly status: 'refused'; readonly reason: HandOffRefusal }
)

export interface LoginThroughMainOptions {
  /** The e-mail address to fill in on the main site. */
  readonly loginHint?: string | undefined
  /** Where to continue afterwards, as path and query; by default the current page. */
  readonly path?: string | undefined
}

export interface HandOff {
  /**
   * Leaves for the main site, which sends the browser back to `/handoff-callback` on this one. Call it only
   * when the user presses a button, never automatically, so that no redirect loop can arise. Where the page
   * cannot store anything, it throws the browser's `SecurityError` and does not leave.
   */
  loginThroughMain(options?: LoginThroughMainOptions): Promise<void>
  /**
   * For the page `/handoff-callback`: takes the main site's answer out of the URL and logs in with it. Never
   * leaves the page. Null when the URL holds no answer, as after a reload. Safe to repeat. Throws as
   * `client.login` does when the service cannot be reached.
   */
  completeHandOff(): Promise<HandOffResult | null>
}

/** The parts of a browser that this uses; tests bring their own. */
export interface HandOffPage {
  readonly location: {
    readonly origin: string
    readonly pathname: string
    readonly search: string
    readonly hash: string
    assign(url: string): void
  }
  readonly history: {
    readonly state: unknown
    replaceState(state: unknown, unused: string, url: string): void
  }
  readonly sessionStorage: {
    getItem(key: string): string | null
    setItem(key: string, value: string): void
    removeItem(key: string): void
  }
}

/** What only this tab knows about a hand-off that it started. */
interface PendingHandOff {
  readonly state: string
  /** RFC 7636: an attacker who intercepts the code cannot use it without this. */
  readonly verifier: string
  readonly path: string
}

const REFUSALS: readonly (string | null)[] = ['login_required', 'access_denied', 'not_invited', 'suspended']

/** Logs in on a satellite without typing a password there: the main site hands its login over. */
export function handOff(client: Client, { mainUrl }: HandOffOptions, given?: HandOffPage): HandOff {
  const page = () => given ?? (globalThis as unknown as HandOffPage)
  const key = `mainstay.handoff ${client.baseUrl}`
  let completing: Promise<HandOffResult | null> = Promise.resolve(null)

  async function complete(answer: URLSearchParams): Promise<HandOffResult> {
    const pending = takePending(page(), key)
    const path = pending?.path ?? '/'
    const refused = (reason: HandOffRefusal) => ({ status: 'refused', reason, path }) as const
    const isOurs = answer.get('state') === pending?.state && isSameUrl(answer.get('iss'), client.baseUrl)
    if (!pending || !isOurs) return refused('interrupted')
    const [code, error] = [answer.get('code'), answer.get('error')]
    if (!code) return refused(REFUSALS.includes(error) ? (error as HandOffRefusal) : 'interrupted')
    try {
      const { verifier } = pending
      return { status: 'loggedIn', caller: await client.loginBy('handoff/redeem', { code, verifier }), path }
    } catch (failure) {
      if ((failure as { code?: string }).code === 'HANDOFF_CODE_INVALID') return refused('expired')
      throw failure
    }
  }

  return {
    async loginThroughMain({ loginHint, path } = {}) {
      const { location, sessionStorage } = page()
      const [verifier, state] = [randomText(), randomText()]
      const challenge = textOf(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
      const request = {
        satellite: location.origin,
        challenge,
        state,
        ...(loginHint && { login_hint: loginHint }),
      }
      const pending: PendingHandOff = {
        state,
        verifier,
        path: withinSite(path ?? location.pathname + location.search, location.origin),
      }
      // No `await` in between: of two clicks, the one that leaves last is the one that is remembered.
      sessionStorage.setItem(key, JSON.stringify(pending))
      location.assign(`${mainUrl.replace(/\/+$/, '')}/handoff#${new URLSearchParams(request)}`)
    },

    completeHandOff() {
      const { location, history } = page()
      const answer = new URLSearchParams(location.hash.slice(1))
      if (answer.has('state')) {
        // Before anything else, so that no reload, bookmark or third-party script finds it.
        history.replaceState(history.state, '', location.pathname + location.search)
        completing = complete(answer)
      }
      return completing
    },
  }
}

/** Removed at once and for good, whatever comes of it. Null too where the browser blocks its storage. */
function takePending(page: HandOffPage, key: string): PendingHandOff | null {
  try {
    const { sessionStorage } = page
    const text = sessionStorage.getItem(key)
    sessionStorage.removeItem(key)
    return text && JSON.parse(text)
  } catch {
    return null
  }
}

/** Two leading slashes would lead to another site, and so would the characters that browsers drop between them. */
function withinSite(path: string, origin: string): string {
  const { pathname, search, hash } = new URL(path.replace(/[\t\n\r]/g, '').replace(/^[/\\]*/, '/'), origin)
  return pathname.replace(/^\/+/, '/') + search + hash
}

/** The service and its pages may spell the same address differently. */
function isSameUrl(given: string | null, own: string): boolean {
  try {
    return new URL(given as string).href === new URL(own).href
  } catch {
    return false
  }
}

function randomText(): string {
  return textOf(crypto.getRandomValues(new Uint8Array(32)))
}

/** base64url */
function textOf(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

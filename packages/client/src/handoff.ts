import type { Client } from './client.js'
import type { Caller } from './http/caller.js'

export interface HandOffOptions {
  /** The main site, such as `https://www.example.com`: where people log in. */
  readonly mainUrl: string
}

/**
 * Why nobody is logged in. The main site says the first four: nobody has logged in there; they have turned
 * back, or the satellite takes passwords only; they are not invited to this satellite; it is suspended.
 * `interrupted`: this tab has not asked for the answer it got. `expired`: it came too late, or a second time.
 */
export type HandOffRefusal =
  | 'login_required'
  | 'access_denied'
  | 'not_invited'
  | 'suspended'
  | 'interrupted'
  | 'expired'

export type HandOffResult = {
  /** Where to go on within this site: path and query. */
  readonly path: string
} & (
  | { readonly status: 'loggedIn'; readonly caller: Caller }
  | { readonly status: 'refused'; readonly reason: HandOffRefusal }
)

export interface LoginThroughMainOptions {
  /** The e-mail address to fill in on the main site. */
  readonly loginHint?: string | undefined
  /** Where to go on afterwards, as path and query; where the person is unless told. */
  readonly path?: string | undefined
}

export interface HandOff {
  /**
   * Leaves for the main site, which sends the browser back to `/handoff-callback` of this one. Call it when
   * somebody presses a button, never by itself: then nothing can go round in circles. Throws the browser's
   * `SecurityError` where it lets the page keep nothing, and has not left then.
   */
  loginThroughMain(options?: LoginThroughMainOptions): Promise<void>
  /**
   * On the page `/handoff-callback`: takes the answer of the main site out of the address and logs in with
   * it. Never leaves the page. Null when there is no answer in the address, as after a reload. Safe to
   * repeat. Throws as `client.login` does where the service cannot be asked.
   */
  completeHandOff(): Promise<HandOffResult | null>
}

/** As much of a browser as this takes; tests bring their own. */
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

/** What only this tab knows of a hand-off that it has begun. */
interface Asked {
  readonly state: string
  /** RFC 7636: whoever sees the code on its way cannot use it without this. */
  readonly verifier: string
  readonly path: string
}

const REFUSALS: readonly (string | null)[] = ['login_required', 'access_denied', 'not_invited', 'suspended']

/** Logs in on a satellite without a password typed there: the main site hands its login over. */
export function handOff(client: Client, { mainUrl }: HandOffOptions, given?: HandOffPage): HandOff {
  const page = () => given ?? (globalThis as unknown as HandOffPage)
  const key = `mainstay.handoff ${client.baseUrl}`
  let completing: Promise<HandOffResult | null> = Promise.resolve(null)

  async function complete(answer: URLSearchParams): Promise<HandOffResult> {
    const asked = takeAsked(page(), key)
    const path = asked?.path ?? '/'
    const refused = (reason: HandOffRefusal) => ({ status: 'refused', reason, path }) as const
    const isOurs = answer.get('state') === asked?.state && isSameUrl(answer.get('iss'), client.baseUrl)
    if (!asked || !isOurs) return refused('interrupted')
    const [code, error] = [answer.get('code'), answer.get('error')]
    if (!code) return refused(REFUSALS.includes(error) ? (error as HandOffRefusal) : 'interrupted')
    try {
      const { verifier } = asked
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
      const asked: Asked = {
        state,
        verifier,
        path: withinSite(path ?? location.pathname + location.search, location.origin),
      }
      // In one go: of two clicks the one that leaves last is the one that is remembered.
      sessionStorage.setItem(key, JSON.stringify(asked))
      location.assign(`${mainUrl.replace(/\/+$/, '')}/handoff#${new URLSearchParams(request)}`)
    },

    completeHandOff() {
      const { location, history } = page()
      const answer = new URLSearchParams(location.hash.slice(1))
      if (answer.has('state')) {
        // Before anything else: no reload, no bookmark and no script of others finds it.
        history.replaceState(history.state, '', location.pathname + location.search)
        completing = complete(answer)
      }
      return completing
    },
  }
}

/** At once and for good, whatever becomes of it. */
function takeAsked({ sessionStorage }: HandOffPage, key: string): Asked | null {
  const text = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  return text && JSON.parse(text)
}

/** Two slashes at the beginning would lead to another site, also with what browsers drop between them. */
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

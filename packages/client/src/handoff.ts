import type { Client } from './client.js'
import type { Caller } from './session-state.js'
import { siteOf } from './site.js'

export interface HandOffOptions {
  /** The main site, such as `https://www.example.com`: where people log in. The service is asked for it if it is left out. */
  readonly mainUrl?: string
  /**
   * Which page takes the main site's answer: the one that the user has left, which is the default, or `/handoff-callback`.
   * Either must call `handOff` when it is loaded.
   */
  readonly returnTo?: 'page' | 'callback'
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
  /** Where to continue afterwards, as path, query and fragment; by default the current page. */
  readonly path?: string | undefined
}

export interface HandOff {
  /**
   * Leaves for the main site, which sends the browser back to this page, to `path`, or to `/handoff-callback`. Call it only
   * when the user presses a button, never automatically, so that no redirect loop can arise. Where the page
   * cannot store anything, it throws the browser's `SecurityError` and does not leave; nor when the service has to be asked
   * where the main site is, and does not answer.
   */
  loginThroughMain(options?: LoginThroughMainOptions): Promise<void>
  /**
   * Logs in with the answer that the main site has sent with the browser; `handOff` has taken it out of the URL. Never
   * leaves the page. Null when there was no answer, as after a reload. Safe to repeat. Throws as
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
/** The same as in the service. */
const MAX_PATH_LENGTH = 2_000

const known = new WeakMap<Client, HandOff>()

/**
 * Logs in on a satellite without typing a password there: the main site hands its login over. Call it as soon as the page
 * runs: it takes an answer of the main site out of the URL at once, before other scripts see it, and `completeHandOff` logs
 * in with it. There is one for each client; the first call decides on its options. On a server it does nothing.
 */
export function handOff(client: Client, options: HandOffOptions = {}, page?: HandOffPage): HandOff {
  if (page) return handOffOn(page, client, options)
  const made = known.get(client) ?? handOffOn(globalThis as unknown as Partial<HandOffPage>, client, options)
  known.set(client, made)
  return made
}

function handOffOn(
  page: Partial<HandOffPage>,
  client: Client,
  { mainUrl, returnTo = 'page' }: HandOffOptions,
): HandOff {
  const key = `mainstay.handoff ${client.baseUrl}`
  // On a server there is neither.
  let answer = page.location && page.history ? takeAnswer(page as HandOffPage, key, client.baseUrl) : null
  let completing: Promise<HandOffResult | null> = Promise.resolve(null)

  async function complete({ told, code, pending }: Answer): Promise<HandOffResult> {
    const path = pending?.path ?? '/'
    const refused = (reason: HandOffRefusal) => ({ status: 'refused', reason, path }) as const
    const isOurs = told.get('state') === pending?.state && isSameUrl(told.get('iss'), client.baseUrl)
    if (!pending || !isOurs) return refused('interrupted')
    const error = told.get('error')
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
      const { location, sessionStorage } = page as HandOffPage
      const here = addressOf(location)
      const main = mainUrl ?? (await siteOf(client)).main.url
      const [verifier, state] = [randomText(), randomText()]
      const challenge = textOf(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
      const pending: PendingHandOff = { state, verifier, path: withinSite(path ?? here, location.origin) }
      const [back = ''] = pending.path.split('#')
      const request = {
        satellite: location.origin,
        challenge,
        state,
        ...(returnTo === 'page' && { path: back.length > MAX_PATH_LENGTH ? location.pathname : back }),
        ...(loginHint && { login_hint: loginHint }),
      }
      // No `await` in between: of two clicks, the one that leaves last is the one that is remembered.
      sessionStorage.setItem(key, JSON.stringify(pending))
      location.assign(`${main.replace(/\/+$/, '')}/handoff#${new URLSearchParams(request)}`)
    },

    completeHandOff() {
      if (!answer) return completing
      const { was, is } = answer
      // A router that keeps the address itself, as Next's does, may have begun with the one that came, and write it again.
      const tidy = () => {
        const { location, history } = page as HandOffPage
        if (addressOf(location) !== was) return
        // Next believes in its own address as long as it finds its mark.
        history.replaceState({ ...(history.state as object | null), __NA: undefined }, '', is)
      }
      tidy()
      completing = complete(answer).finally(tidy)
      answer = null
      return completing
    },
  }
}

/** What the main site has sent, and what this tab had asked for; null where it had asked for nothing. */
interface Answer {
  readonly told: URLSearchParams
  /** Empty where there is none. */
  readonly code: string
  readonly pending: PendingHandOff | null
  /** The address with it, and without it. */
  readonly was: string
  readonly is: string
}

/** The first half of a code, as the first parameter of a query; the service says why it is there. */
const HALF = /^\?mainstay=([\w-]*)&?/

/**
 * Takes the main site's answer out of the URL, before any reload, bookmark or third-party script finds it, and what this tab
 * had asked for out of its storage: for good, whatever comes of it. Null where there is no answer, or one to another
 * library's request.
 */
function takeAnswer(page: HandOffPage, key: string, baseUrl: string): Answer | null {
  const { location, history } = page
  const told = new URLSearchParams(location.hash.slice(1))
  const pending = pendingOf(page, key)
  const isExpected = told.get('state') === pending?.state
  if (!told.has('state') || !(isExpected || isSameUrl(told.get('iss'), baseUrl))) return null
  const [, half = ''] = HALF.exec(location.search) ?? []
  const query = location.search.replace(HALF, '?')
  const here = location.pathname + (query === '?' ? '' : query)
  const [path, fragment] = pending?.path.split('#') ?? []
  const before = isExpected && path === here && fragment ? `#${fragment}` : ''
  const [was, is] = [addressOf(location), here + before]
  history.replaceState(history.state, '', is)
  if (pending) page.sessionStorage.removeItem(key)
  return { told, code: told.has('code') ? half + told.get('code') : '', pending, was, is }
}

function addressOf({ pathname, search, hash }: HandOffPage['location']): string {
  return pathname + search + hash
}

/** Null too where the browser blocks its storage. */
function pendingOf(page: HandOffPage, key: string): PendingHandOff | null {
  try {
    return JSON.parse(page.sessionStorage.getItem(key) as string)
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

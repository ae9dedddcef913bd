import { Cancelled } from '../../pieces/forms.js'
import { untilLeft } from '../../pieces/router.js'
import { type ConfirmedSatellite, call, type HandOffOffer } from '../api.js'
import type { HandOffRequest } from './handoff-request.js'

/** What the satellite gets when no user is logged in there. */
type HandOffError = 'login_required' | 'access_denied' | 'not_invited' | 'suspended'

const KEY = 'mainstay.handoff'

/**
 * Whether the page may leave without a click: once in the lifetime of a tab, and never where the browser
 * cannot remember it. This limits any chain of redirecting pages, whatever goes wrong.
 */
export function takeLeave(): boolean {
  try {
    const hasLeft = sessionStorage.getItem(KEY) !== null
    sessionStorage.setItem(KEY, 'left')
    return !hasLeft
  } catch {
    return false
  }
}

/**
 * Goes back to the satellite with a code that is valid for this one login. Throws a MainstayError for a refusal, and
 * Cancelled if `wish` has been aborted before the code was there.
 */
export async function leaveWithCode(
  { origin }: HandOffOffer,
  request: HandOffRequest,
  wish: AbortSignal,
): Promise<void> {
  const { challenge, state, path } = request
  const body = { satellite: origin, challenge, state, ...(path && { path }) }
  const { redirect } = await call<{ readonly redirect: string }>('POST', 'handoff/codes', body)
  if (wish.aborted) throw new Cancelled()
  leave(origin, redirect)
  await untilLeft()
}

/** Goes back to the satellite with the reason why no user is logged in. */
export function leaveWithError(
  { origin, iss }: ConfirmedSatellite,
  error: HandOffError,
  { state, path = '/handoff-callback' }: HandOffRequest,
): void {
  leave(origin, `${origin}${path}#${new URLSearchParams({ error, state, iss })}`)
}

/**
 * `origin` is one that the service has confirmed. The page leaves no entry in the history, so “back” does not
 * end up here.
 */
function leave(origin: string, address: string): void {
  if (new URL(address).origin !== origin) throw new TypeError(`${address} is not at ${origin}`)
  location.replace(address)
}

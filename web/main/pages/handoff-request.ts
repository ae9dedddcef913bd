/** What a satellite requests from this page. */
export interface HandOffRequest {
  /** The origin that wants a user logged in. Only the service knows whether it is one of ours. */
  readonly satellite: string
  readonly challenge: string
  readonly state: string
  /** The page there that takes the answer, as path and query; absent for `/handoff-callback`. It is untrusted. */
  readonly path?: string
  /** The e-mail address that was typed there, if any. It is untrusted. */
  readonly loginHint: string
}

/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/
/** These are the same as in the service. */
const MAX_EMAIL_LENGTH = 254
const MAX_PATH_LENGTH = 2_000
const PATH = /^\/[!"$-[\]-~]*$/

/** The request in a fragment; null when that is incomplete, or names what is not an origin, or not a path. */
export function readRequest(fragment: string): HandOffRequest | null {
  const told = new URLSearchParams(fragment.slice(1))
  const [satellite, challenge, state, hint] = ['satellite', 'challenge', 'state', 'login_hint'].map(
    name => told.get(name) ?? '',
  ) as [string, string, string, string]
  const path = told.get('path')
  if (!isWebOrigin(satellite) || !SECRET.test(challenge) || !SECRET.test(state)) return null
  if (path !== null && !(PATH.test(path) && path.length <= MAX_PATH_LENGTH)) return null
  const loginHint = hint.length > MAX_EMAIL_LENGTH ? '' : hint
  return { satellite, challenge, state, loginHint, ...(path !== null && { path }) }
}

function isWebOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

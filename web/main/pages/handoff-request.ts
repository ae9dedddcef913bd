/** What a satellite requests from this page. */
export interface HandOffRequest {
  /** The origin that wants a user logged in. Only the service knows whether it is one of ours. */
  readonly satellite: string
  readonly challenge: string
  readonly state: string
  /** The e-mail address that was typed there, if any. It is untrusted. */
  readonly loginHint: string
}

/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/
/** The same as in the service. */
const MAX_EMAIL_LENGTH = 254

/** The request in a fragment; null when that is incomplete, or names something that is not an origin. */
export function readRequest(fragment: string): HandOffRequest | null {
  const told = new URLSearchParams(fragment.slice(1))
  const [satellite, challenge, state, hint] = ['satellite', 'challenge', 'state', 'login_hint'].map(
    name => told.get(name) ?? '',
  ) as [string, string, string, string]
  if (!isWebOrigin(satellite) || !SECRET.test(challenge) || !SECRET.test(state)) return null
  return { satellite, challenge, state, loginHint: hint.length > MAX_EMAIL_LENGTH ? '' : hint }
}

function isWebOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

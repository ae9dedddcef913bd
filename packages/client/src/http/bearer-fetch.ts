import type { AccessToken } from '../tokens/access-token.js'
import { errorOf } from './mainstay-error.js'

/**
 * In codes of 401 errors of the service that a new token would not fix: wrong passwords, codes and passkeys, which
 * count as guesses, and what has to be proved first.
 */
const NOT_ABOUT_THE_TOKEN = /SECOND_FACTOR|PASSKEY|CREDENTIALS|REAUTHENTICATION|STEP_UP/

/**
 * The full URL of a request. Throws a TypeError unless it begins with a trusted base and a slash: that fixes
 * the host, whatever follows. A token sent to a stranger would open everything until it expired.
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

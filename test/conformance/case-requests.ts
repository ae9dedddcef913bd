import type { TestRequest } from '../support/http-request.js'
import type { Case } from './case.js'
import type { Cast } from './cast.js'
import { forgedTokens } from './values/forge-jwt.js'
import { signedEvent } from './values/stripe-signature.js'
import { eventOf } from './values/webhook-events.js'

/** RFC 9110 §5.5: controls other than the tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
export const ILLEGAL = /[\x00-\x08\x0a-\x1f\x7f]/g

/** A request to send with an HTTP client, or bytes for a plain socket. */
export type CaseRequest = { http: TestRequest } | { raw: string }

/** What a case sends: one request, or one for each token that fits its forgery. */
export async function requestsOf(theCase: Case, cast: Cast): Promise<CaseRequest[]> {
  if (theCase.rawSocket !== undefined) return [{ raw: theCase.rawSocket }]
  const request = httpRequestOf(theCase, cast)
  if (!theCase.forgeJwt) return [{ http: request }]
  const { accessToken } = await cast.session('U1', 'satellite')
  const tokens = await forgedTokens(theCase.forgeJwt, accessToken, cast.service.settings.jwtKeysFile)
  const headers = Object.entries(theCase.headers)
  return tokens.map(token => {
    const withToken = headers.map(([name, value]) => [name, value.replace('{{FORGED}}', () => token)])
    return { http: { ...request, headers: Object.fromEntries(withToken) } }
  })
}

function httpRequestOf(theCase: Case, { service }: Cast): TestRequest {
  const { method, path } = theCase
  if (!theCase.stripeSig) return { method, path, headers: headersOf(theCase), body: bodyOf(theCase) }
  const { body, signature } = signedEvent(
    eventOf(theCase),
    theCase.stripeSig,
    service.settings.stripe?.webhookSecrets[0] as string,
  )
  return { method, path, headers: { ...headersOf(theCase), 'Stripe-Signature': signature }, body }
}

/**
 * `headerList` says the same as `headers`, and a header twice where they cannot. A byte that no header may hold
 * is left out: no HTTP client sends it, and the service's parser would refuse it before the service sees it.
 */
function headersOf({ headers, headerList }: Case): Record<string, string | string[]> {
  if (!headerList) {
    const legal = Object.entries(headers).map(([name, value]) => [name, value.replace(ILLEGAL, '')])
    return Object.fromEntries(legal)
  }
  const names = [...new Set(headerList.map(([name]) => name))]
  return Object.fromEntries(
    names.map(name => [name, headerList.filter(([other]) => other === name).map(([, value]) => value)]),
  )
}

function bodyOf({ body, bodyRaw, bodyBase64, bodyGen }: Case): TestRequest['body'] {
  if (bodyBase64) return Buffer.from(bodyBase64, 'base64')
  if (!bodyGen) return bodyRaw ?? body
  const { template, repeat, count, trimTail } = bodyGen
  return template.replace('%s', repeat.repeat(count).slice(0, -trimTail))
}

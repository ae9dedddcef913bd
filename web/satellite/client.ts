import { errorOf, itemStorage, satelliteClient } from '@mainstay-auth/client'
import { handOff } from '@mainstay-auth/client/handoff'
import { jsonIn } from '../pieces/body.js'
import { site } from '../pieces/site.js'
import { fetchInLanguage } from '../pieces/t.js'

/** All tabs share the session, and it outlives them. It can never do more than enter data and view reports. */
export const client = satelliteClient({
  baseUrl: site.apiUrl,
  storage: itemStorage(() => localStorage),
  fetch: fetchInLanguage,
})

export const { loginThroughMain, completeHandOff } = handOff(client, {
  mainUrl: site.mainUrl,
  returnTo: 'callback',
})

/** The service's response to a GET. Throws a MainstayError for a refusal. */
export function read<T>(path: string): Promise<T> {
  return call<T>('GET', path)
}

/** The service's parsed response; null for one without a body. Throws a MainstayError for a refusal. */
export async function call<T = null>(method: string, path: string, body?: object): Promise<T> {
  const init = body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await client.fetch(`/api/${path}`, { method, ...init })
  if (!answer.ok) throw await errorOf(answer)
  return jsonIn<T>(answer)
}

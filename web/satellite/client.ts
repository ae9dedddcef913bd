import { errorOf, itemStorage, satelliteClient } from '../../client/index.js'
import { site } from '../pieces/site.js'

/** All tabs share the session, and it outlives them. It can never do more than enter data and view reports. */
export const client = satelliteClient({ baseUrl: site.apiUrl, storage: itemStorage(() => localStorage) })

/** What the service answers to a GET. Throws a MainstayError for a refusal. */
export async function read<T>(path: string): Promise<T> {
  const answer = await client.fetch(`/api/${path}`)
  if (!answer.ok) throw await errorOf(answer)
  return answer.json()
}

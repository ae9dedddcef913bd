import { isRequest, isStream } from './calls.js'
import type { Client } from './client.js'
import { errorOf, type MainstayError } from './mainstay-error.js'

/** First the password, then a second factor where the operation needs both. */
const MAX_PROOFS = 2

/**
 * Asks the person to prove their identity again, with one of `wanted.methods`, and resolves when
 * `POST /api/reauthenticate` has accepted it. Rejects when they decline; the waiting calls then reject with
 * the same error.
 */
export type AskForProof = (wanted: MainstayError) => Promise<void>

/**
 * `client.fetch` that asks for proof where the service wants it (`REAUTHENTICATION_REQUIRED`,
 * `STEP_UP_REQUIRED`), and then repeats the request. However many requests wait, the person is asked once. A
 * request with a stream as its body is not repeated.
 */
export function repeatAfterProof(client: Client, ask: AskForProof): Client['fetch'] {
  let asking: Promise<void> | null = null
  /** How many proofs have been given so far. */
  let given = 0
  const askOnce = (wanted: MainstayError) => {
    asking ??= ask(wanted)
      .then(() => {
        given += 1
      })
      .finally(() => {
        asking = null
      })
    return asking
  }
  return async (input, init) => {
    const userId = () => client.state.caller?.userId
    let asker = userId()
    for (let proofs = 0; ; proofs += 1) {
      const before = given
      const answer = await client.fetch(isRequest(input) ? input.clone() : input, init)
      asker ??= userId()
      if (answer.status !== 401 && answer.status !== 403) return answer
      const refusal = await errorOf(answer)
      if (proofs === MAX_PROOFS || !isFixedByProof(refusal) || isStream(init?.body)) return answer
      // What one person asked for is not done in the name of another who has logged in meanwhile.
      if (userId() !== asker) return answer
      // A proof that was given while this request was on its way may be enough.
      if (given === before) await askOnce(refusal)
      // Your own backends read from the token when the person last proved their identity.
      if (!answer.url.startsWith(`${client.baseUrl}/`)) await client.refresh()
      if (userId() !== asker) return answer
    }
  }
}

/** Whether proving their identity again would let the request through, and this person can. */
function isFixedByProof({ code, methods }: MainstayError): boolean {
  return code === 'REAUTHENTICATION_REQUIRED' || (code === 'STEP_UP_REQUIRED' && methods.length > 0)
}

import { errorOf, MainstayError } from '@mainstay-auth/client'
import { repeatAfterProof } from '@mainstay-auth/client/reauthentication'
import { jsonIn, PATIENCE_MS } from '../pieces/body.js'
import { fetchInLanguage } from '../pieces/language/fetch-in-language.js'
import { isRefusal } from '../pieces/notices/refusal.js'
import { watchPage } from '../pieces/router.js'
import { site } from '../pieces/site/site.js'
import { client } from './client.js'
import { noteEnrolmentRequired } from './enrolment/enrolment-required.js'
import { reauthenticate } from './reauthentication/reauthentication.js'

/** `client.fetch` that asks for proof, but not on another page than the one where the call was made. */
function fetchWithProof(): typeof client.fetch {
  if (!proofs.isHere()) proofs = proofsWhere(watchPage())
  return proofs.fetch
}

let proofs = proofsWhere(() => false)

function proofsWhere(isHere: () => boolean) {
  return { isHere, fetch: repeatAfterProof(client, ({ methods }) => reauthenticate(methods, isHere)) }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Calls the service for the user who is logged in, and returns the parsed response; null for one without a
 * body. Where the service requires re-authentication, asks the user for it and repeats the call. Throws a
 * MainstayError for a refusal.
 */
export async function call<T = null>(method: Method, path: string, body?: object): Promise<T> {
  return jsonIn<T>(await callForAnswer(method, path, body))
}

/** Like {@link call}, for responses that are not JSON. */
export async function callForAnswer(method: Method, path: string, body?: object): Promise<Response> {
  try {
    return await accepted(await fetchWithProof()(`/api/${path}`, { method, ...jsonOf(body) }))
  } catch (error) {
    if (isRefusal(error, 'SECOND_FACTOR_ENROLMENT_REQUIRED')) noteEnrolmentRequired()
    throw error
  }
}

/** Like {@link call}, but without a login: for the links in mails. */
export async function callAsAnybody<T = null>(path: string, body: object): Promise<T> {
  const url = `${site.apiUrl}/api/${path}`
  const answer = await fetchInLanguage(url, {
    method: 'POST',
    credentials: 'include',
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...jsonOf(body),
  })
  return jsonIn<T>(await accepted(answer))
}

/**
 * Like {@link callAsAnybody}; if that is refused for lack of proof, tries again with the session of the user
 * who is logged in here, if any. In an outage, throws what `fetch` does.
 */
export async function callAsWhoeverIsHere<T = null>(path: string, body: object): Promise<T> {
  try {
    return await callAsAnybody<T>(path, body)
  } catch (refusal) {
    if (!isRefusal(refusal, 'REAUTHENTICATION_REQUIRED')) throw refusal
    const answer = await postInSession(path, body)
    if (!answer || answer.status === 401) throw refusal
    return jsonIn<T>(await accepted(answer))
  }
}

/** Null where nobody is logged in. An outage is waited for as long as for any other answer. */
async function postInSession(path: string, body: object): Promise<Response | null> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    await client.refresh({ signal })
    return await client.fetch(`/api/${path}`, { method: 'POST', signal, ...jsonOf(body) })
  } catch (error) {
    if (error instanceof MainstayError) return null
    throw error
  }
}

/** Reads what the service tells anybody. Throws a MainstayError for a refusal. */
export async function askAsAnybody<T>(path: string): Promise<T> {
  const answer = await fetch(`${site.apiUrl}/api/${path}`, {
    credentials: 'omit',
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  return jsonIn<T>(await accepted(answer))
}

async function accepted(answer: Response): Promise<Response> {
  if (!answer.ok) throw await errorOf(answer)
  return answer
}

function jsonOf(body: object | undefined): RequestInit {
  return body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {}
}

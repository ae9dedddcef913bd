import { errorOf, type MainstayError } from '@mainstay-auth/client'
import { isRefusal } from '../pieces/refusal.js'
import { site } from '../pieces/site.js'
import { client } from './client.js'
import { noteEnrolmentRequired } from './enrolment/enrolment-required.js'
import { reauthenticate } from './reauthentication.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Calls the service for who is logged in, and gives back the parsed answer; null for one without a body. Where it wants
 * them to show again who they are, that is asked for and the call repeated. Throws a MainstayError for a refusal.
 */
export async function call<T = null>(method: Method, path: string, body?: object): Promise<T> {
  const answer = await callForAnswer(method, path, body)
  return read<T>(answer)
}

/** As {@link call}, for what is no JSON. */
export async function callForAnswer(method: Method, path: string, body?: object): Promise<Response> {
  const once = () => client.fetch(`/api/${path}`, { method, ...jsonOf(body) }).then(accepted)
  // The password first, and then a second factor where what is to be done needs both.
  for (let proofs = 0; ; proofs += 1) {
    try {
      return await once()
    } catch (error) {
      if (isRefusal(error, 'SECOND_FACTOR_ENROLMENT_REQUIRED')) noteEnrolmentRequired()
      if (proofs === MOST_PROOFS || !wantsProof(error)) throw error
      await reauthenticate(error.methods)
    }
  }
}

const MOST_PROOFS = 2

/** Whether the service would do it for somebody who shows again who they are, and this one can. */
function wantsProof(error: unknown): error is MainstayError {
  if (isRefusal(error, 'REAUTHENTICATION_REQUIRED')) return true
  return isRefusal(error, 'STEP_UP_REQUIRED') && error.methods.length > 0
}

/** As {@link call}, for whoever is there: what the links in mails need. */
export async function callAsAnybody<T = null>(path: string, body: object): Promise<T> {
  const url = `${site.apiUrl}/api/${path}`
  const answer = await fetch(url, { method: 'POST', credentials: 'include', ...jsonOf(body) })
  return read<T>(await accepted(answer))
}

/** As {@link callAsAnybody}; where that is refused for want of a proof, with the session of whoever is logged in here, if anybody is. */
export async function callAsWhoeverIsHere<T = null>(path: string, body: object): Promise<T> {
  try {
    return await callAsAnybody<T>(path, body)
  } catch (refusal) {
    if (!isRefusal(refusal, 'REAUTHENTICATION_REQUIRED')) throw refusal
    const inSession = () => client.fetch(`/api/${path}`, { method: 'POST', ...jsonOf(body) })
    const answer = await client
      .refresh()
      .then(inSession)
      .catch(() => null)
    if (!answer || answer.status === 401) throw refusal
    return read<T>(await accepted(answer))
  }
}

/** What the service tells anybody. Throws a MainstayError for a refusal. */
export async function askAsAnybody<T>(path: string): Promise<T> {
  const answer = await fetch(`${site.apiUrl}/api/${path}`, { credentials: 'omit' })
  return read<T>(await accepted(answer))
}

async function accepted(answer: Response): Promise<Response> {
  if (!answer.ok) throw await errorOf(answer)
  return answer
}

async function read<T>(answer: Response): Promise<T> {
  const text = await answer.text()
  return (text ? JSON.parse(text) : null) as T
}

function jsonOf(body: object | undefined): RequestInit {
  return body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {}
}

// Calls of the service, and what one may ask of the user before it succeeds: a proof of identity, or a second factor.
import { errorOf, type FactorMethod, MainstayError } from '@mainstay-auth/client'
import { repeatAfterProof } from '@mainstay-auth/client/reauthentication'
import { bodyOf, jsonIn, PATIENCE_MS } from '../pieces/body.js'
import { Cancelled } from '../pieces/forms.js'
import { isRefusal } from '../pieces/notices.js'
import { watchPage } from '../pieces/router.js'
import { sharedValue } from '../pieces/shared-value.js'
import { site } from '../pieces/site.js'
import { fetchInLanguage } from '../pieces/t.js'
import { client } from './client.js'

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
async function callForAnswer(method: Method, path: string, body?: object): Promise<Response> {
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

/** Null where no user is logged in. An outage is waited for as long as for any other answer. */
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

/** Reads what the service tells any client. Throws a MainstayError for a refusal. */
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

/** A call that is waiting for the person to prove their identity again. */
export interface Question {
  /** The methods that the service accepts. */
  readonly methods: readonly FactorMethod[]
  readonly done: () => void
  readonly cancel: () => void
}

const question = sharedValue<Question | null>(null)

/**
 * Resolves when the person has proved their identity again; throws Cancelled when they decline, or have left the
 * page that needs it.
 */
async function reauthenticate(methods: readonly FactorMethod[], isStillHere: () => boolean): Promise<void> {
  if (!isStillHere()) throw new Cancelled()
  return new Promise<void>((resolve, reject) => {
    question.set({ methods, done: resolve, cancel: () => reject(new Cancelled()) })
  }).finally(() => question.set(null))
}

/** Declines the question, if there is one. */
export function cancelQuestion(): void {
  question.read()?.cancel()
}

/** The question to show; null when there is none. */
export function useQuestion(): Question | null {
  return question.useValue()
}

/**
 * Whether the service has refused something because the account requires a second factor that the user does
 * not have.
 */
const isEnrolmentRequired = sharedValue(false)

export function noteEnrolmentRequired(): void {
  isEnrolmentRequired.set(true)
}

export function forgetEnrolmentRequired(): void {
  isEnrolmentRequired.set(false)
}

export function useEnrolmentRequired(): boolean {
  return isEnrolmentRequired.useValue()
}

/** An export of few rows from among very many can send nothing for long. */
const EXPORT_PATIENCE_MS = 120_000

/** Saves the service's response as a file. Throws like {@link bodyOf}. */
export async function download(path: string, fileName: string): Promise<void> {
  saveAs(await bodyOf(await callForAnswer('GET', path), EXPORT_PATIENCE_MS), fileName)
}

/** Makes the browser save this as a file. */
export function saveAs(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // Not immediately, because some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

// The service's responses, by the names that these pages use; docs/openapi.json describes them.
export type {
  AccountAnswer as Account,
  AuditEntry,
  AuditPage as AuditPart,
  BrandingBody as Branding,
  HandoffDestinationAnswer as HandOffOffer,
  InvitationAnswer as Invitation,
  InvoiceAnswer as Invoice,
  LoginEntry as Login,
  MailedLinkAnswer as MailedLink,
  NewRecoveryCodesAnswer as NewRecoveryCodes,
  OriginAnswer as ConfirmedSatellite,
  PasskeyAnswer as Passkey,
  PolicyAnswer as SecondFactorPolicy,
  ProfileAnswer as Profile,
  ProofAnswer as Proof,
  RememberedDeviceAnswer as RememberedDevice,
  SatelliteAnswer as Satellite,
  SecondFactorAnswer as SecondFactor,
  TeamMemberAnswer as Person,
  TeamSatelliteAnswer as TeamSatellite,
  TransferAnswer as Transfer,
} from '@mainstay-auth/client/api'

import type { Client } from './client.js'
import type { PasskeyRequestOptions } from './http/api.js'
import type { Caller } from './http/caller.js'

export interface PasskeyLoginOptions {
  /**
   * Offers passkeys among what the browser fills in by itself, in a field with
   * `autocomplete="username webauthn"`, and waits until somebody chooses one. Without, the browser asks at
   * once; it wants a click for that.
   */
  readonly conditional?: boolean
  /** Ends the waiting. A page has one request at a time: end this one before you make another. */
  readonly signal?: AbortSignal
}

/** What the service answers when a passkey was removed. */
export interface RemovedPasskey {
  readonly rpId: string
  readonly credentialId: string
  readonly userId: string
  /** The passkeys that are left. */
  readonly remaining: readonly string[]
}

interface Credential {
  toJSON(): object
}

interface SignalApi {
  signalUnknownCredential?(options: object): Promise<void>
  signalAllAcceptedCredentials?(options: object): Promise<void>
}

/** As much of a browser as this takes. */
interface Browser {
  readonly PublicKeyCredential?: SignalApi & {
    parseCreationOptionsFromJSON?(options: object): object
    parseRequestOptionsFromJSON?(options: object): object
    isConditionalMediationAvailable?(): Promise<boolean>
  }
  readonly navigator: {
    readonly credentials: {
      create(options: object): Promise<Credential | null>
      get(options: object): Promise<Credential | null>
    }
  }
  readonly document: {
    readonly visibilityState: string
    addEventListener(name: string, listener: () => void, options: object): void
  }
}

const browser = globalThis as unknown as Browser
const LIFETIME_MS = 300_000
/** A challenge is replaced while there is still time to use the old one. */
const REPLACED_AFTER = 0.8

/** Whether this browser has passkeys; do not offer them where it has not. */
export function supportsPasskeys(): boolean {
  const { PublicKeyCredential: api } = browser
  return Boolean(api?.parseCreationOptionsFromJSON && api.parseRequestOptionsFromJSON)
}

/**
 * Logs in with a passkey. Throws as `client.login` does, with `PASSKEY_INVALID` for one that the service does not
 * know; the browser's `NotAllowedError` when the person turns back, and `AbortError` when `signal` aborts.
 * With `conditional`: null, at once, where the browser cannot do that.
 */
export async function loginWithPasskey(
  client: Client,
  { conditional = false, signal }: PasskeyLoginOptions = {},
): Promise<Caller | null> {
  const isPossible = !conditional || (await isAutofillPossible())
  if (!isPossible) return null
  const response = conditional
    ? await autofilled(client, signal)
    : await signWithPasskey(await client.passkeyOptions(), signal)
  return client.loginBy('login/passkey', { response, source: client.source })
}

/**
 * Signs the challenge of these options with a passkey of the person's choice; the answer is
 * `AuthenticationResponseJSON` of WebAuthn, as `completeSecondFactor` and `POST /api/reauthenticate` take it.
 * Throws the browser's `NotAllowedError` when the person turns back.
 */
export function signWithPasskey(options: PasskeyRequestOptions, signal?: AbortSignal): Promise<object> {
  return get(options, { signal })
}

/**
 * Makes a passkey by the options of `POST /api/passkeys/options`; the answer is `RegistrationResponseJSON` of
 * WebAuthn, for `POST /api/passkeys`. Throws the browser's `NotAllowedError` when the person turns back, and
 * `InvalidStateError` where the device has a passkey of this user already.
 */
export async function createPasskey(options: object, signal?: AbortSignal): Promise<object> {
  const publicKey = browser.PublicKeyCredential?.parseCreationOptionsFromJSON?.(options)
  return json(await browser.navigator.credentials.create({ publicKey, signal }))
}

/**
 * Tells the browser of a removed passkey, so that it offers it no more; does nothing where the browser takes
 * no such news. Never rejects: the passkey is removed in any case.
 */
export async function forgetPasskey({
  rpId,
  userId,
  credentialId,
  remaining,
}: RemovedPasskey): Promise<void> {
  const api = browser.PublicKeyCredential
  await Promise.allSettled([
    api?.signalUnknownCredential?.({ rpId, credentialId }),
    api?.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds: remaining }),
  ])
}

async function isAutofillPossible(): Promise<boolean> {
  return supportsPasskeys() && Boolean(await browser.PublicKeyCredential?.isConditionalMediationAvailable?.())
}

/** Whoever comes back to a page that was open for an hour finds a challenge that is still good. */
async function autofilled(client: Client, signal: AbortSignal | undefined): Promise<object> {
  for (;;) {
    const options = await client.passkeyOptions()
    const end = AbortSignal.timeout((options.timeout ?? LIFETIME_MS) * REPLACED_AFTER)
    try {
      const either = signal ? AbortSignal.any([signal, end]) : end
      return await get(options, { signal: either, mediation: 'conditional' })
    } catch (error) {
      if (signal?.aborted || !end.aborted) throw error
    }
    await untilSeen(signal)
  }
}

/** A tab in the background asks for nothing. */
function untilSeen(signal: AbortSignal | undefined): Promise<void> {
  const { document } = browser
  return new Promise((resolve, reject) => {
    const look = () => document.visibilityState === 'visible' && resolve()
    document.addEventListener('visibilitychange', look, signal ? { signal } : {})
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    look()
  })
}

async function get(options: PasskeyRequestOptions, more: object): Promise<object> {
  const publicKey = browser.PublicKeyCredential?.parseRequestOptionsFromJSON?.(options)
  return json(await browser.navigator.credentials.get({ publicKey, ...more }))
}

/** There is no case in which browsers answer with null. */
function json(credential: Credential | null): object {
  return (credential as Credential).toJSON()
}

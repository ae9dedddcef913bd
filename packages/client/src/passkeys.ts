import type { PasskeyRequestOptions } from './calls.js'
import type { Client } from './client.js'
import type { Caller } from './session-state.js'

export interface PasskeyLoginOptions {
  /**
   * Offers passkeys in the browser's autofill, in a field with `autocomplete="username webauthn"`, and waits
   * until the user chooses one. Otherwise the browser asks at once, which needs a click.
   */
  readonly conditional?: boolean
  /** Ends the wait. A page can have one request at a time: abort this one before you start another. */
  readonly signal?: AbortSignal
}

/** The service's answer when a passkey was removed. */
export interface RemovedPasskey {
  readonly rpId: string
  readonly credentialId: string
  readonly userId: string
  /** Credential ids of the passkeys that are left. */
  readonly remaining: readonly string[]
}

interface Credential {
  readonly type: string
  readonly rawId: ArrayBuffer
  readonly authenticatorAttachment?: string | null
  readonly response: Readonly<Partial<Record<ResponseField, ArrayBuffer | null>>> & {
    getTransports?(): readonly string[]
  }
  getClientExtensionResults?(): object
  toJSON?(): object
}

type ResponseField = (typeof RESPONSE_FIELDS)[number]

interface SignalApi {
  signalUnknownCredential?(options: object): Promise<void>
  signalAllAcceptedCredentials?(options: object): Promise<void>
}

/** The parts of a browser that this uses. */
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
/** Of a new passkey, and of a signature. */
const RESPONSE_FIELDS = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
] as const
const LIFETIME_MS = 300_000
/** A challenge is replaced while the old one is still valid. */
const REPLACED_AFTER = 0.8
const ASKED_AGAIN_AFTER_MS = 30_000

/** Whether this browser supports passkeys; do not offer them where it does not. */
export function supportsPasskeys(): boolean {
  const { PublicKeyCredential: api } = browser
  return Boolean(api?.parseCreationOptionsFromJSON && api.parseRequestOptionsFromJSON)
}

/**
 * Logs in with a passkey. Throws as `client.login` does, with `PASSKEY_INVALID` for one that the service does
 * not know; the browser's `NotAllowedError` when the person cancels; and `AbortError` when `signal` aborts.
 * With `conditional`, returns null at once where the browser does not support that, and throws nothing before the
 * person has chosen a passkey, apart from `AbortError`: if the service does not answer, it is asked again later.
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
 * Signs the challenge in these options with a passkey that the person chooses. Returns WebAuthn's
 * `AuthenticationResponseJSON`, as `completeSecondFactor` and `POST /api/reauthenticate` take it. Throws the
 * browser's `NotAllowedError` when the person cancels.
 */
export function signWithPasskey(options: PasskeyRequestOptions, signal?: AbortSignal): Promise<object> {
  return get(options, { signal })
}

/**
 * Creates a passkey from the options of `POST /api/passkeys/options`. Returns WebAuthn's
 * `RegistrationResponseJSON`, for `POST /api/passkeys`. Throws the browser's `NotAllowedError` when the
 * person cancels, and `InvalidStateError` when the device already has a passkey of this user.
 */
export async function createPasskey(options: object, signal?: AbortSignal): Promise<object> {
  const publicKey = browser.PublicKeyCredential?.parseCreationOptionsFromJSON?.(options)
  return json(await browser.navigator.credentials.create({ publicKey, signal }))
}

/**
 * Tells the browser that a passkey was removed, so that it no longer offers it; does nothing where the
 * browser does not support that. Never rejects: the passkey is removed in any case.
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

/**
 * A user who comes back to a page that was open for an hour finds a challenge that is still valid, or soon another
 * one if the network was not back at once.
 */
async function autofilled(client: Client, signal: AbortSignal | undefined): Promise<object> {
  for (;;) {
    const options = await client.passkeyOptions().catch(() => null)
    if (options) {
      const end = AbortSignal.timeout((options.timeout ?? LIFETIME_MS) * REPLACED_AFTER)
      try {
        const either = signal ? AbortSignal.any([signal, end]) : end
        return await get(options, { signal: either, mediation: 'conditional' })
      } catch (error) {
        if (!end.aborted) throw error
      }
    }
    signal?.throwIfAborted()
    await untilVisible(options ? 0 : ASKED_AGAIN_AFTER_MS, signal)
  }
}

/** Resolves after a pause, or when the user looks at the page again: a tab in the background requests nothing. */
function untilVisible(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { document } = browser
  // Serves as the options of a listener: it has a `signal`.
  const over = new AbortController()
  return new Promise<void>((resolve, reject) => {
    const look = () => document.visibilityState === 'visible' && resolve()
    document.addEventListener('visibilitychange', look, over)
    signal?.addEventListener('abort', () => reject(signal.reason), over)
    AbortSignal.timeout(pauseMs).addEventListener('abort', look)
  }).finally(() => over.abort())
}

async function get(options: PasskeyRequestOptions, more: object): Promise<object> {
  const publicKey = browser.PublicKeyCredential?.parseRequestOptionsFromJSON?.(options)
  return json(await browser.navigator.credentials.get({ publicKey, ...more }))
}

/**
 * Browsers never return null here. What the extension of a password manager returns looks like the browser's own, but the
 * browser's `toJSON` refuses it.
 */
function json(credential: Credential | null): object {
  const { type, rawId, authenticatorAttachment, response } = credential as Credential
  const whole = orUndefined(() => credential?.toJSON?.())
  if (whole) return whole
  const id = base64url(rawId)
  const fields = RESPONSE_FIELDS.map(name => [name, response[name] && base64url(response[name])])
  return {
    ...{ id, rawId: id, type, authenticatorAttachment: authenticatorAttachment ?? undefined },
    response: {
      ...Object.fromEntries(fields.filter(([, value]) => value)),
      transports: orUndefined(() => response.getTransports?.()),
    },
    clientExtensionResults: orUndefined(() => credential?.getClientExtensionResults?.()) ?? {},
  }
}

function orUndefined<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}

function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

import { Client, type ClientOptions } from './client.js'
import { thisPlatform } from './platform.js'
import { cookieHome, type ItemStorage, itemStorage, type Storage, storageHome } from './session-home.js'

export type { Credentials, PasskeyRequestOptions, SecondFactor } from './calls.js'
export type { Client, ClientOptions } from './client.js'
export {
  type ErrorCode,
  errorOf,
  type FactorMethod,
  type FieldError,
  isSecondFactorRequired,
  MainstayError,
  type SecondFactorRequired,
} from './mainstay-error.js'
export { type ItemStorage, itemStorage, type Storage } from './session-home.js'
export type { Caller, ChangeKind, LogoutCause, Permissions, State, WaitReason } from './session-state.js'

export interface StoredSessionOptions extends ClientOptions {
  readonly storage: Storage
}

/** For pages of the main site. The session is an HttpOnly cookie; none of it is ever in the page's storage. */
export function mainClient(options: ClientOptions): Client {
  const storage = itemStorage(() => (globalThis as unknown as { localStorage: ItemStorage }).localStorage)
  return new Client(options, cookieHome(storage, `${keyOf(options)}.logout`), thisPlatform(options.fetch))
}

/**
 * For pages of a satellite. With `itemStorage(() => localStorage)` all tabs share one session until it
 * expires; with `itemStorage(() => sessionStorage)` each tab has its own, which ends with the tab. Every
 * script on the page can read either.
 */
export function satelliteClient(options: StoredSessionOptions): Client {
  return storedSession(options)
}

/** For mobile apps, which are satellites without an origin. Pass the system's secure storage. */
export function mobileClient(options: StoredSessionOptions): Client {
  return storedSession(options)
}

function storedSession(options: StoredSessionOptions): Client {
  return new Client(options, storageHome(options.storage, keyOf(options)), thisPlatform(options.fetch))
}

/** Letters, digits, dots, dashes and underscores: secure storage in apps allows nothing else in keys. */
function keyOf({ baseUrl }: ClientOptions): string {
  return `mainstay.${baseUrl.replace(/\/+$/, '').replace(/[^\w.-]+/g, '_')}`
}

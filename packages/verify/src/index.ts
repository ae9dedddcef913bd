import { AccessTokenVerifier, type VerifierOptions } from './verifier.js'

export { AccessTokenError } from './access-token-error.js'
export {
  ACRS,
  type Acr,
  type AuthMethod,
  type Caller,
  PERMISSIONS,
  type Permission,
  type Permissions,
  type RequiredAuthentication,
} from './caller.js'
export { callerOf } from './requests.js'
export type { AccessTokenVerifier, Requirement, VerifierOptions } from './verifier.js'

/** Create one for the lifetime of your program: it caches the service's public keys. */
export function accessTokenVerifier(options: VerifierOptions): AccessTokenVerifier {
  return new AccessTokenVerifier(options)
}

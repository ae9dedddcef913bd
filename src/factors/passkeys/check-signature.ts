import type { AuthenticationResponseJSON, VerifiedAuthenticationResponse } from '@simplewebauthn/server'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Passkey } from './passkey.js'
import { webauthn } from './webauthn.js'

/** What an assertion must be signed with, and what it must be about. */
export interface ExpectedAssertion {
  readonly passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'isBackupEligible'>
  readonly challenge: string
  /** Of the page. */
  readonly origin: string
  readonly rpId: string
}

/** What the authenticator says about itself. Throws `PASSKEY_INVALID` for anything wrong in the response. */
export async function checkSignature(
  response: AuthenticationResponseJSON,
  { passkey, challenge, origin, rpId }: ExpectedAssertion,
): Promise<VerifiedAuthenticationResponse['authenticationInfo']> {
  const { verifyAuthenticationResponse } = await webauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      // The library refuses a counter that goes back; with 0 it never does, and the caller may report it.
      counter: 0,
    },
  }).catch(asRefusal)
  const isEligible = authenticationInfo.credentialDeviceType === 'multiDevice'
  // That never changes for a credential (WebAuthn §7.2, step 19).
  if (!verified || isEligible !== passkey.isBackupEligible) throw new ApiError('PASSKEY_INVALID')
  return authenticationInfo
}

/** The library throws plain errors for anything wrong in a response. */
function asRefusal(cause: unknown): never {
  throw new ApiError('PASSKEY_INVALID', { cause })
}

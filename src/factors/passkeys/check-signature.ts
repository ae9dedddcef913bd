import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Passkey } from './passkey.js'
import type { PasskeyState } from './passkeys.js'
import { webauthn } from './webauthn.js'

type SigningPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'isBackupEligible'>

/** What an assertion must be signed with, and what it must be about. */
export interface ExpectedAssertion<P extends SigningPasskey> {
  /** Null when nobody has it. */
  readonly passkey: P | null
  readonly challenge: string
  /** Of the page. */
  readonly origin: string
  readonly rpId: string
}

/** What was signed, and what the authenticator says about itself. */
export interface CheckedSignature<P> {
  readonly passkey: P
  readonly state: PasskeyState
}

/**
 * Checked in place of the passkey that is missing, so that timing does not reveal which credentials are known. ES256,
 * as nearly all of them are.
 */
const DUMMY_PASSKEY: SigningPasskey = {
  credentialId: '',
  publicKey:
    'pQECAyYgASFYIM4QwdTbQGiwtCXelk3T_iSjSz0apzNjtpSrHDAlxnv2IlggWJtQ9wWJd7BdyOQGDC4602tCTAmLVoxLTXU-6J9asbY',
  isBackupEligible: false,
}

/** Throws `PASSKEY_INVALID` for anything wrong in the response and, after the same work, when there is no passkey. */
export async function checkSignature<P extends SigningPasskey>(
  response: AuthenticationResponseJSON,
  { passkey, challenge, origin, rpId }: ExpectedAssertion<P>,
): Promise<CheckedSignature<P>> {
  const { credentialId, publicKey, isBackupEligible } = passkey ?? DUMMY_PASSKEY
  const { verifyAuthenticationResponse } = await webauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: credentialId,
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      // The library refuses a counter that goes back; with 0 it never does, and the caller may report it.
      counter: 0,
    },
  }).catch(asRefusal)
  const isEligible = authenticationInfo.credentialDeviceType === 'multiDevice'
  // That never changes for a credential (WebAuthn §7.2, step 19).
  if (!passkey || !verified || isEligible !== isBackupEligible) throw new ApiError('PASSKEY_INVALID')
  const { newCounter, credentialBackedUp } = authenticationInfo
  return { passkey, state: { counter: newCounter, isBackedUp: credentialBackedUp } }
}

/** The library throws plain errors for anything wrong in a response. */
function asRefusal(cause: unknown): never {
  throw new ApiError('PASSKEY_INVALID', { cause })
}

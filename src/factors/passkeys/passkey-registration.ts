import { Inject, Injectable } from '@nestjs/common'
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { authenticatorName } from './authenticator-names.js'
import { clientDataOf } from './client-data.js'
import { type Passkey, userHandleOf } from './passkey.js'
import { CHALLENGE_SECONDS, PasskeyChallenges } from './passkey-challenges.js'
import { type PasskeyScope, PasskeySites } from './passkey-sites.js'
import { webauthn } from './webauthn.js'

/** Whom a new passkey is for, as the authenticator shows them. */
export interface PasskeyOwner {
  readonly id: string
  readonly email: string
  readonly name: string | null
}

/** A passkey that is not stored yet, with its challenge, which is not used up yet. */
export interface NewPasskey {
  readonly passkey: Omit<Passkey, 'id' | 'createdAt' | 'lastUsedAt'>
  readonly challenge: string
  readonly expiresAt: Date
}

/** Signature algorithms, by their COSE numbers: ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257]
/** Those that WebAuthn knows (§5.8.4); browsers ignore others. */
const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Creates options for new passkeys, and checks what authenticators make of them. */
@Injectable()
export class PasskeyRegistration {
  constructor(
    private readonly challenges: PasskeyChallenges,
    @Inject(PasskeySites) private readonly sites: PasskeyScope,
  ) {}

  /** What `navigator.credentials.create()` takes. Authenticators that have one of `existing` refuse. */
  async options(
    { id, email, name }: PasskeyOwner,
    sid: string,
    siteName: string,
    existing: readonly Pick<Passkey, 'credentialId' | 'transports'>[],
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await webauthn()
    return generateRegistrationOptions({
      rpID: this.sites.rpId,
      rpName: siteName,
      userID: new Uint8Array(Buffer.from(userHandleOf(id), 'base64url')),
      userName: email,
      userDisplayName: name ?? email,
      challenge: new Uint8Array(Buffer.from(this.challenges.issue({ for: 'creation', sid }), 'base64url')),
      timeout: CHALLENGE_SECONDS * 1000,
      attestationType: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
      excludeCredentials: existing.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: [...transports] as never,
      })),
    })
  }

  /**
   * The new passkey, for the user who has requested the options in this session. Throws `PASSKEY_INVALID` for
   * anything wrong.
   */
  async verify(
    response: RegistrationResponseJSON,
    { userId, sid, client }: { readonly userId: string; readonly sid: string; readonly client: Client },
    name: string | undefined,
  ): Promise<NewPasskey> {
    const challenge = clientDataOf(response.response.clientDataJSON)?.challenge ?? ''
    const expiresAt = this.challenges.expiryOf(challenge, { for: 'creation', sid })
    const origin = this.sites.originOf(client.origin)
    if (!expiresAt || origin === null || !(await isWithoutCertificates(response)))
      throw new ApiError('PASSKEY_INVALID')
    const passkey = await this.checked(response, challenge, origin)
    return {
      passkey: { ...passkey, userId, name: name ?? authenticatorName(passkey.aaguid) },
      challenge,
      expiresAt,
    }
  }

  private async checked(
    response: RegistrationResponseJSON,
    expectedChallenge: string,
    expectedOrigin: string,
  ) {
    const { rpId } = this.sites
    const { verifyRegistrationResponse } = await webauthn()
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(cause => {
      throw new ApiError('PASSKEY_INVALID', { cause })
    })
    const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo ?? {}
    if (!verified || !credential || credential.id !== response.id) throw new ApiError('PASSKEY_INVALID')
    return {
      rpId,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: knownTransports(response.response.transports),
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp === true,
      aaguid: aaguid as string,
    }
  }
}

/**
 * We ask for no attestation, and browsers then leave out all certificates. An attacker could send some: the
 * library would parse them, and fetch the revocation lists that they name.
 */
async function isWithoutCertificates({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await webauthn()
  try {
    const attestation = decodeAttestationObject(
      new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
    )
    const format = attestation.get('fmt')
    // An authenticator may vouch for itself, with the new key.
    return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
  } catch {
    return false
  }
}

function knownTransports(transports: unknown): string[] {
  return Array.isArray(transports) ? TRANSPORTS.filter(transport => transports.includes(transport)) : []
}

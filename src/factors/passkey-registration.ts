import { Inject, Injectable } from '@nestjs/common'
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { type Passkey, type PasskeyScope, PasskeySites, userHandleOf } from './passkeys.js'
import { CHALLENGE_SECONDS, clientDataOf, PasskeyChallenges, webauthn } from './webauthn.js'

/** Whom a new passkey is for, as the authenticator shows them. */
interface PasskeyOwner {
  readonly id: string
  readonly email: string
  readonly name: string | null
}

/** A passkey that is not stored yet, with its challenge, which is not used up yet. */
interface NewPasskey {
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

/**
 * The makes of authenticators that most people have, by AAGUID. Each is in the list kept by the makers of
 * browsers and password managers, and spelt as it is there: combined_aaguid.json of
 * https://github.com/passkeydeveloper/passkey-authenticator-aaguids, compared on 2026-11-22.
 */
const NAMES: Readonly<Record<string, string>> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain (Managed)',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  'b5397666-4885-aa6b-cebf-e52262a439a2': 'Chromium Browser',
  '771b48fd-d3d4-4f74-9232-fc157ab0507a': 'Edge on Mac',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  'f3809540-7f14-49c1-a8b3-8f813b225541': 'Enpass',
  '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6': 'Keeper',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  'b78a0a55-6ef8-d246-a042-ba0f6d55050c': 'LastPass',
  'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  'cb69481e-8ff7-4039-93ec-0a2729a154a8': 'YubiKey 5 Series',
  'ee882879-721c-4913-9775-3dfcce97072a': 'YubiKey 5 Series',
  'fa2b99dc-9e39-4257-8f92-4a30d23c4118': 'YubiKey 5 Series with NFC',
  '2fc0579f-8113-47ea-b116-bb5a8db9202a': 'YubiKey 5 Series with NFC',
}

/** What to call a passkey whose user has not named it. */
function authenticatorName(aaguid: string): string {
  return NAMES[aaguid] ?? 'Passkey'
}

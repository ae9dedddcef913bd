/** A WebAuthn credential of a user. */
export interface Passkey {
  readonly id: string
  readonly userId: string
  readonly rpId: string
  /** base64url, like the public key, which is a COSE key. */
  readonly credentialId: string
  readonly publicKey: string
  /** How often the authenticator says it has signed; 0 for one that does not count. */
  readonly counter: number
  /** How browsers reach the authenticator. */
  readonly transports: readonly string[]
  /** Whether it may be on several devices, and whether it is. */
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  /** The make of the authenticator. */
  readonly aaguid: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

export interface OwnedPasskey extends Passkey {
  readonly accountId: string
}

/** The user as authenticators know them: the 16 bytes of their id, as base64url. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')
}

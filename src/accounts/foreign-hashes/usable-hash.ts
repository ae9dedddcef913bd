/** A hash that another system made, or we did with other parameters. */
export interface UsableHash {
  /** Whether this text, as it stands, was hashed. */
  isOf(password: string): Promise<boolean>
}

/** Why a hash cannot be taken over, in words for the operator who imports it. Never holds the hash. */
export class UnusableHash extends Error {}

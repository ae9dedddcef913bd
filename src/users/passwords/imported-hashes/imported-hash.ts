/** A hash made by another system, or by us with other parameters. */
export interface ImportedHash {
  /** Whether this text, as it stands, was hashed. */
  matches(password: string): Promise<boolean>
}

/** Why a hash cannot be imported, in words for the operator. Never contains the hash. */
export class UnusableHash extends Error {}

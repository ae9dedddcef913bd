/** A user as another system exported them: parsed JSON, or a line of CSV by its column names. */
export type ExportRecord = Readonly<Record<string, unknown>>

/** What a record says that we can take over. */
export interface ExportedUser {
  /** The other system's id, to name a user in the report. */
  readonly id: string
  readonly email: string | null
  /** Whether the other system has seen that the address is theirs. */
  readonly isEmailVerified: boolean
  /** Whether they may not log in there, or were deleted. */
  readonly isBlocked: boolean
  readonly name: string | null
  readonly password: ExportedPassword
  /** The secret of their authenticator app, as base32; null without one. */
  readonly totpSecret: string | null
  /** What they have there and cannot take along, in words: `a login with google`. */
  readonly lost: readonly string[]
}

/** A hash in a form that {@link readImportedHash} reads, or why there is none, in words for the report. */
export type ExportedPassword = { readonly hash: string } | { readonly missing: string }

/** Files that belong together: one export, in the order given. */
export interface ExportFiles {
  readonly users: readonly string[]
  /** A second export with what the first does not have; null without one. */
  readonly others: string | null
  /** Parameters of the password hashes, as the other system gives them; null without any. */
  readonly hashConfig: unknown
}

/** How one other system exports its users. */
export interface ExportFormat {
  /** How the files are written. */
  readonly files: 'csv' | 'json lines' | 'json'
  /** With a second file: how its records find those of the first. */
  readonly join?: {
    readonly files: 'json lines' | 'json'
    keyOf(record: ExportRecord): string | null
    keyOfOther(other: ExportRecord): string | null
  }
  /** Throws an {@link ExportError} when the parameters are not what this system gives. `now`: for what ends by itself. */
  reader(hashConfig: unknown, now: Date): (record: ExportRecord) => ExportedUser
}

/** What is wrong with a file as a whole, in words for the operator. Never quotes it: it contains hashes. */
export class ExportError extends Error {}

export const NO_PASSWORD: ExportedPassword = { missing: 'had none there' }

/** Null for everything but text with something in it. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** Names as many systems keep them, in two parts. */
export function fullName(...parts: readonly unknown[]): string | null {
  return textOf(parts.map(part => textOf(part) ?? '').join(' '))
}

/** Empty for what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Empty for what is no object. */
export function recordOf(value: unknown): ExportRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ExportRecord) : {}
}

/** The parsed JSON in a field of text; null where there is none. */
export function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

/** Base64 without the padding, as hashes in text have it. */
export function unpadded(base64: string): string {
  return base64.replace(/=+$/, '')
}

/** As databases and programs write a boolean in CSV: `t`, `true`, `1`. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || /^(t|true|1)$/i.test(String(value))
}

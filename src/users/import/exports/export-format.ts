/** A user as exported by another system: parsed JSON, or a line of CSV by column name. */
export type ExportRecord = Readonly<Record<string, unknown>>

/** The parts of a record that we can use. */
export interface ExportedUser {
  /** The other system's id, to identify a user in the report. */
  readonly id: string
  readonly email: string | null
  /** Whether the other system has verified that the address is theirs. */
  readonly isEmailVerified: boolean
  /** Whether they are barred from logging in there, or were deleted. */
  readonly isBlocked: boolean
  readonly name: string | null
  readonly password: ExportedPassword
  /** The secret of their authenticator app, in base32; null without one. */
  readonly totpSecret: string | null
  /** What they have there but cannot keep, in words: `a login with google`. */
  readonly lost: readonly string[]
}

/** A hash in a form that {@link readImportedHash} reads, or why there is none, worded for the report. */
export type ExportedPassword = { readonly hash: string } | { readonly missing: string }

/** Files that belong together: one export, in the given order. */
export interface ExportFiles {
  readonly users: readonly string[]
  /** A second export with data that the first one lacks; null without one. */
  readonly others: string | null
  /** Parameters of the password hashes, in the other system's format; null without any. */
  readonly hashConfig: unknown
}

/** How one other system exports its users. */
export interface ExportFormat {
  /** The file format. */
  readonly files: 'csv' | 'json lines' | 'json'
  /** With a second file: how to match its records to those of the first. */
  readonly join?: {
    readonly files: 'json lines' | 'json'
    keyOf(record: ExportRecord): string | null
    keyOfOther(other: ExportRecord): string | null
  }
  /**
   * Throws an {@link ExportError} when the parameters are not in this system's format. `now` is for bans that
   * end by themselves.
   */
  reader(hashConfig: unknown, now: Date): (record: ExportRecord) => ExportedUser
}

/** What is wrong with a file as a whole, worded for the operator. Never quotes it: it contains hashes. */
export class ExportError extends Error {}

export const NO_PASSWORD: ExportedPassword = { missing: 'had none there' }

/** Null for anything but non-empty text. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** From names that are stored in several parts, as in many systems. */
export function fullName(...parts: readonly unknown[]): string | null {
  return textOf(parts.map(part => textOf(part) ?? '').join(' '))
}

/** Empty for anything but a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Empty for anything but an object. */
export function recordOf(value: unknown): ExportRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ExportRecord) : {}
}

/** The parsed JSON in a text field; null where there is none. */
export function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

/** Base64 without padding, as used in hash texts. */
export function unpadded(base64: string): string {
  return base64.replace(/=+$/, '')
}

/** Booleans as databases and programs write them in CSV: `t`, `true`, `1`. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || /^(t|true|1)$/i.test(String(value))
}

import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'

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

export const NO_PASSWORD: ExportedPassword = { missing: 'had none there' }

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

/** A document is parsed all at once. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
/** A user may have a lot of metadata there. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024

/** The records of the files, in order. Throws an {@link ExportError} for a file that is not in this format. */
export async function* recordsOf(
  kind: ExportFormat['files'],
  paths: readonly string[],
): AsyncGenerator<ExportRecord> {
  for (const path of paths) {
    if (kind === 'csv') yield* rowsOf(path)
    else if (kind === 'json lines') yield* jsonLinesOf(path)
    else yield* usersIn(await documentOf(path), path)
  }
}

async function* rowsOf(path: string): AsyncGenerator<ExportRecord> {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true })
  // A failure of either reaches the reader of the rows.
  const rows = pipeline(createReadStream(path), decodedStream, parser, () => {})
  try {
    yield* rows
  } catch (error) {
    if (isNotUtf8(error)) throw new ExportError(`${path} is not UTF-8`)
    // Its message quotes the text; a failure of the file system is kept as it is.
    throw error instanceof CsvError ? new ExportError(`${path} is not CSV with a header`) : error
  }
}

async function* decodedStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

async function* jsonLinesOf(path: string): AsyncGenerator<ExportRecord> {
  for await (const { number, text } of linesOf(createReadStream(path), MAX_RECORD_BYTES)) {
    const fault = `Line ${number} of ${path} is not a JSON object`
    const record = parsed(text ?? '', fault)
    if (Array.isArray(record)) throw new ExportError(fault)
    yield record
  }
}

async function documentOf(path: string): Promise<unknown> {
  if ((await stat(path)).size > MAX_DOCUMENT_BYTES)
    throw new ExportError(`${path} is larger than 256 MiB; split it into files of some 100,000 users each`)
  return parsed(await textIn(path), `${path} is not JSON`)
}

/**
 * The text of a small file, without the byte order mark that some editors write. Throws an {@link ExportError} when it is
 * not UTF-8: names would be destroyed.
 */
export async function textIn(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    throw isNotUtf8(error) ? new ExportError(`${path} is not UTF-8`) : error
  }
}

function isNotUtf8(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
}

/** A list of users, or an object that contains one. */
function usersIn(document: unknown, path: string): ExportRecord[] {
  const users = Array.isArray(document) ? document : recordOf(document).users
  if (!Array.isArray(users)) throw new ExportError(`${path} has no list of users`)
  return listOf(users).map(user => recordOf(user))
}

function parsed(text: string, fault: string): ExportRecord {
  // The message of JSON.parse would quote the text.
  const value = jsonIn(text)
  if (typeof value === 'object' && value !== null) return value as ExportRecord
  throw new ExportError(fault)
}

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** A line of a file, without its line break. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Null when it is too long or not UTF-8. */
  readonly text: string | null
}

/**
 * The lines of a byte stream, of at most `maxBytes` each, one at a time. Empty ones are skipped, but still
 * numbered.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let number = 0
  let rest = NOTHING
  let isTooLong = false
  for await (const chunk of chunks) {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end)
      isTooLong ||= rest.length + piece.length > maxBytes
      rest = isTooLong ? NOTHING : Buffer.concat([rest, piece])
      if (end === -1) break
      number++
      yield* lineOf(number, isTooLong ? null : rest)
      rest = NOTHING
      isTooLong = false
      start = end + 1
    }
  }
  yield* lineOf(number + 1, isTooLong ? null : rest)
}

function* lineOf(number: number, bytes: Buffer | null): Generator<Line> {
  const text = bytes && decodedLine(bytes)
  if (text?.trim() !== '') yield { number, text }
}

/** A new decoder each time, because it removes the byte order mark that some programs write. */
function decodedLine(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

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

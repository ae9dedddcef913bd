import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { linesOf } from '../byte-lines.js'
import {
  ExportError,
  type ExportFormat,
  type ExportRecord,
  jsonIn,
  listOf,
  recordOf,
} from './export-format.js'

/** A document is parsed all at once. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
/** A user may have a lot of metadata there. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

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
  // A failure of either reaches whoever reads the rows.
  const rows = pipeline(createReadStream(path), decoded, parser, () => {})
  try {
    yield* rows
  } catch (error) {
    if (isNotUtf8(error)) throw new ExportError(`${path} is not UTF-8`)
    // Its message quotes the text; a failure of the file system is kept as it is.
    throw error instanceof CsvError ? new ExportError(`${path} is not CSV with a header`) : error
  }
}

async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

async function* jsonLinesOf(path: string): AsyncGenerator<ExportRecord> {
  for await (const { number, text } of linesOf(createReadStream(path), MAX_LINE_BYTES)) {
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

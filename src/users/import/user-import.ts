import { Injectable } from '@nestjs/common'
import { Satellites } from '../../satellites/satellites.js'
import { ImportBatch } from './import-batch.js'
import { LineFault, type NumberedUser, readImportedUser } from './imported-user.js'

export interface ImportCounts {
  /** Lines that were read; empty ones are not counted. */
  readonly lines: number
  readonly added: number
  readonly alreadyThere: number
  readonly faults: number
}

type Tell = (sentence: string) => void

/** Larger batches are not faster, and take more memory. */
const USERS_A_BATCH = 100
const TELL_EVERY_LINES = 5_000

/** Imports users from another system with their password hashes, one JSON object per line. */
@Injectable()
export class UserImport {
  constructor(
    private readonly batches: ImportBatch,
    private readonly satellites: Satellites,
  ) {}

  /**
   * Reads as a stream and holds one batch at a time. Calls `tell` with a sentence for each faulty line, which
   * is skipped, and with the progress from time to time. When it throws, what it has reported as done is
   * done; running it again continues, because existing users are left alone. A dry run adds nobody and
   * reports the same; it keeps the e-mail addresses and accounts of the file in memory.
   */
  async run(
    source: AsyncIterable<Uint8Array>,
    tell: Tell,
    { isDryRun = false }: { isDryRun?: boolean } = {},
  ): Promise<ImportCounts> {
    const counts = { lines: 0, added: 0, alreadyThere: 0, faults: 0 }
    const onFault = (line: number, reason: string) => {
      counts.faults++
      tell(`Line ${line} ${reason}`)
    }
    let toldAt = 0
    let batch: NumberedUser[] = []
    const earlier = { emails: new Set<string>(), owned: new Set<string>() }
    const write = async () => {
      const { added, alreadyThere, refused } = await (isDryRun
        ? this.batches.rehearse(batch, earlier)
        : this.batches.write(batch))
      batch = []
      counts.added += added
      counts.alreadyThere += alreadyThere
      for (const { line, reason } of refused) onFault(line, reason)
    }
    for await (const line of linesOf(source)) {
      counts.lines++
      const user = this.read(line, onFault)
      if (user) batch.push({ line: line.number, user })
      if (batch.length === USERS_A_BATCH) await write()
      if (batch.length === 0 && counts.lines - toldAt >= TELL_EVERY_LINES) {
        tell(inWords(counts))
        toldAt = counts.lines
      }
    }
    if (batch.length > 0) await write()
    return counts
  }

  private read({ number, text }: Line, onFault: (line: number, reason: string) => void) {
    try {
      if (text === null) throw new LineFault(`is not UTF-8 or longer than ${MAX_LINE_BYTES} bytes`)
      return readImportedUser(text, this.satellites)
    } catch (error) {
      if (!(error instanceof LineFault)) throw error
      onFault(number, error.message)
      return null
    }
  }
}

/** The progress of an import. */
export function inWords({ lines, added, alreadyThere, faults }: ImportCounts): string {
  return `${lines} lines: ${added} users added, ${alreadyThere} there already, ${faults} lines at fault`
}

/** A line of a file, without its line break. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Null when it is longer than {@link MAX_LINE_BYTES} or not UTF-8. */
  readonly text: string | null
}

/** A user takes less than 1 KB; an endless line must not fill the memory. */
export const MAX_LINE_BYTES = 16 * 1024

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** The lines of a byte stream, one at a time. Empty ones are skipped, but still numbered. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0
  let rest = NOTHING
  let isTooLong = false
  for await (const chunk of chunks) {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end)
      isTooLong ||= rest.length + piece.length > MAX_LINE_BYTES
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
  const text = bytes && decoded(bytes)
  if (text?.trim() !== '') yield { number, text }
}

/** A new decoder each time, because it removes the byte order mark that some programs write. */
function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

import { Injectable } from '@nestjs/common'
import { pluralize } from '../../platform/log.js'
import { type Line, linesOf } from './byte-lines.js'
import { ImportBatch } from './import-batch.js'
import { LineFault, type NumberedUser, readImportedUser } from './imported-user.js'

export interface ImportCounts {
  /** Lines that were read; empty ones are not counted. */
  readonly lines: number
  readonly added: number
  readonly alreadyThere: number
  readonly faults: number
}

type Report = (sentence: string) => void

/** Larger batches are not faster, and take more memory. */
const USERS_A_BATCH = 100
const TELL_EVERY_LINES = 5_000
/** A user takes less than 1 KB; an endless line must not fill the memory. */
const MAX_LINE_BYTES = 16 * 1024

/** Imports users from another system with their password hashes, one JSON object per line. */
@Injectable()
export class UserImport {
  constructor(private readonly batches: ImportBatch) {}

  /**
   * Reads as a stream and holds one batch at a time. Calls `report` with a sentence for each faulty line, which
   * is skipped, and with the progress from time to time. When it throws, what it has reported as done is
   * done; running it again continues, because existing users are left alone. A dry run adds nobody and
   * reports the same; it keeps the e-mail addresses and accounts of the file in memory.
   */
  async run(
    source: AsyncIterable<Uint8Array>,
    report: Report,
    { isDryRun = false }: { isDryRun?: boolean } = {},
  ): Promise<ImportCounts> {
    const counts = { lines: 0, added: 0, alreadyThere: 0, faults: 0 }
    const onFault = (line: number, reason: string) => {
      counts.faults++
      report(`Line ${line} ${reason}`)
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
    for await (const line of linesOf(source, MAX_LINE_BYTES)) {
      counts.lines++
      const user = this.read(line, onFault)
      if (user) batch.push({ line: line.number, user })
      if (batch.length === USERS_A_BATCH) await write()
      if (batch.length === 0 && counts.lines - toldAt >= TELL_EVERY_LINES) {
        report(summaryOf(counts, isDryRun))
        toldAt = counts.lines
      }
    }
    if (batch.length > 0) await write()
    return counts
  }

  private read({ number, text }: Line, onFault: (line: number, reason: string) => void) {
    try {
      if (text === null) throw new LineFault(`is not UTF-8 or longer than ${MAX_LINE_BYTES} bytes`)
      return readImportedUser(text)
    } catch (error) {
      if (!(error instanceof LineFault)) throw error
      onFault(number, error.message)
      return null
    }
  }
}

/** The progress of an import. */
export function summaryOf({ lines, added, alreadyThere, faults }: ImportCounts, isDryRun = false): string {
  const here = `${alreadyThere.toLocaleString('en')} already here`
  const users = `${pluralize(added, 'user')} ${isDryRun ? 'would be added' : 'added'}`
  return `${pluralize(lines, 'line')}: ${users}, ${here}, ${pluralize(faults, 'line')} at fault`
}

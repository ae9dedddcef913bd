import { Injectable } from '@nestjs/common'
import { Settings } from '../../config/settings.js'
import { ImportBatch } from './import-batch.js'
import { LineFault, type NumberedUser, readImportedUser } from './imported-user.js'
import { type Line, linesOf, MAX_LINE_BYTES } from './json-lines.js'

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
    private readonly settings: Settings,
  ) {}

  /**
   * Reads as it goes and holds one batch at a time. Calls `tell` with a sentence for each faulty line, which
   * is skipped, and now and then with the progress. When it throws, what it has reported as done is done;
   * running it again continues, because existing users are left alone.
   */
  async run(source: AsyncIterable<Uint8Array>, tell: Tell): Promise<ImportCounts> {
    const counts = { lines: 0, added: 0, alreadyThere: 0, faults: 0 }
    const onFault = (line: number, reason: string) => {
      counts.faults++
      tell(`Line ${line} ${reason}`)
    }
    let toldAt = 0
    let batch: NumberedUser[] = []
    const write = async () => {
      const { added, alreadyThere, refused } = await this.batches.write(batch)
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
      return readImportedUser(text, this.settings.satelliteOrigins)
    } catch (error) {
      if (!(error instanceof LineFault)) throw error
      onFault(number, error.message)
      return null
    }
  }
}

/** How far an import has come. */
export function inWords({ lines, added, alreadyThere, faults }: ImportCounts): string {
  return `${lines} lines: ${added} users added, ${alreadyThere} there already, ${faults} lines at fault`
}

/** A line of a file, without its line break. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Null when it is too long or not UTF-8. */
  readonly text: string | null
}

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

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

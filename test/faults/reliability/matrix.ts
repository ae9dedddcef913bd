import { readFileSync } from 'node:fs'

/** What a test can tell of a fault. */
export interface Seen {
  /** What was answered meanwhile. */
  readonly status?: number
  /** Until the slowest of these answers, in milliseconds. */
  readonly answeredMs?: number
  /** From the moment that the part was there again, or failed and another had to take its place, until all was served, in milliseconds. */
  readonly recoveredMs?: number
  /** Sessions, ends of sessions, requests or payments that were not as they should be afterwards. */
  readonly lost?: number
}

export interface Fault {
  readonly id: string
  readonly fault: string
  /** What the test asserts. */
  readonly happens: string
  /** Null where nobody has tried it. The name is that of the test, or its last part. */
  readonly test: { readonly file: string; readonly name: string } | null
  /** What the test measures; the rest it asserts. */
  readonly measures: readonly (keyof Seen)[]
}

/** Every fault that we know of, in the order of docs/reliability.md. */
export const FAULTS: readonly Fault[] = JSON.parse(
  readFileSync('test/faults/reliability/matrix.json', 'utf8'),
)

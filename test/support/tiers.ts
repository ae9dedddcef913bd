import { describe, it } from '@jest/globals'

/** Where test/runner/environment.mjs reads which mark the tests bear that are being declared. */
const MARKS = Symbol.for('mainstay.marks')
const marks: Set<string> = (Reflect.get(globalThis, MARKS) as Set<string>) ?? new Set()
Reflect.set(globalThis, MARKS, marks)

/** Declares tests as `it` does; `slow.each` and `slow.describe` are those of `it` and `describe`. */
function declaring(mark: string) {
  const marked =
    <A extends unknown[], R>(declare: (...args: A) => R) =>
    (...args: A): R => {
      marks.add(mark)
      try {
        return declare(...args)
      } finally {
        marks.delete(mark)
      }
    }
  return Object.assign(marked(it), {
    each: ((...table: Parameters<typeof it.each>) => marked(it.each(...table) as never)) as typeof it.each,
    describe: Object.assign(marked(describe), {
      each: ((...table: Parameters<typeof describe.each>) =>
        marked(describe.each(...table) as never)) as typeof describe.each,
    }),
  })
}

/** Tests of half a second or more, which `npm test` leaves out. */
export const slow = declaring('slow')

/** Tests of what only Redis or PostgreSQL can do; skipped where those are not installed. */
export const onServers = declaring('servers')

import { describe, it } from '@jest/globals'

/** Where test/runner/environment.mjs reads which mark the tests bear that are being declared. */
const MARKS = Symbol.for('mainstay.marks')
const marks: Set<string> = (Reflect.get(globalThis, MARKS) as Set<string>) ?? new Set()
Reflect.set(globalThis, MARKS, marks)

/** Declares tests as `it` does; `slow.each` and `slow.describe` are those of `it` and `describe`. */
function declaring(...own: string[]) {
  const marked =
    <A extends unknown[], R>(declare: (...args: A) => R) =>
    (...args: A): R => {
      // What the `describe` around it has marked stays so.
      const added = own.filter(mark => !marks.has(mark))
      for (const mark of added) marks.add(mark)
      try {
        return declare(...args)
      } finally {
        for (const mark of added) marks.delete(mark)
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

export const slowOnServers = declaring('slow', 'servers')

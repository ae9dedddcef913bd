// Names of messages that the build puts in the place of the long ones: those are a tenth of what a page loads.
import { readdirSync, readFileSync } from 'node:fs'

/** A name in quotation marks, as pages ask for a message: 'login.title'. */
const QUOTED_NAME = /(['"])([a-zA-Z]+(?:\.[\w-]+)+)\1/g
/** The start of a name that a page puts together: `error.${code}`. */
const STARTED_NAME = /`([a-zA-Z]+(?:\.[\w-]+)*\.)\$\{/g

/**
 * The short name of every message that pages ask for by its whole name, by the long one. `keys` are all long names,
 * `sources` the folder of the pages. Those whose names are put together keep them.
 */
export function shortNames(keys, sources) {
  const starts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !name.startsWith('dist'))
    .flatMap(name =>
      [...readFileSync(`${sources}${name}`, 'utf8').matchAll(STARTED_NAME)].map(([, start]) => start),
    )
  const whole = keys.filter(key => !starts.some(start => key.startsWith(start)))
  return new Map(whole.map((key, index) => [key, index.toString(36)]))
}

/** A source with short names in it. */
export function shorten(code, names) {
  return code.replace(QUOTED_NAME, (quoted, _, key) => (names.has(key) ? `'${names.get(key)}'` : quoted))
}

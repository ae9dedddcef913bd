// Names of messages that the build puts in the place of the long ones: those are a tenth of what a page loads.
import { readdirSync, readFileSync } from 'node:fs'

/** A name in quotation marks, as pages ask for a message: 'login.title'. */
const QUOTED_NAME = /(['"])([a-zA-Z]+(?:\.[\w-]+)+)\1/g
/**
 * The start of a name that a page puts together: `error.${code}`. Every name with such a start stays long, so these names
 * have a start of their own.
 */
const STARTED_NAME = /`([a-zA-Z]+(?:\.[\w-]+)*\.)\$\{/g

/**
 * The names of the messages that the pages in these folders ask for, by their long ones: a short one, which is a
 * place in a list (`0`, `1`, …), where pages ask for the message by its whole name; the long one where they put the
 * name together. What these pages do not ask for is not among them.
 */
export function shortNames(keys, folders) {
  const sources = folders.flatMap(sourcesIn)
  const found = pattern => sources.flatMap(source => [...source.matchAll(pattern)])
  const quoted = new Set(found(QUOTED_NAME).map(([, , name]) => name))
  const starts = found(STARTED_NAME).map(([, start]) => start)
  const isStarted = key => starts.some(start => key.startsWith(start))
  const started = keys.filter(isStarted)
  const whole = keys.filter(key => quoted.has(key) && !isStarted(key))
  return new Map([...whole.map((key, index) => [key, `${index}`]), ...started.map(key => [key, key])])
}

/** A source with short names in it. */
export function shorten(code, names) {
  return code.replace(QUOTED_NAME, (quoted, _, key) => (names.has(key) ? `'${names.get(key)}'` : quoted))
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => readFileSync(`${folder}${name}`, 'utf8'))
}

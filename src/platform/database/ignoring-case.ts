import { or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { startsWith } from './starts-with.js'

/** Two forms that no change of case makes of each other. */
const SIGMAS = ['σ', 'ς']

/** What an index is asked for at once. Each character whose cases may differ in the index doubles it. */
const MAX_PREFIXES = 16
/** In lower case the same in every locale, unlike a Turkish `I`. */
const PLAIN_CHARACTER = /^[\0-HJ-hj-\x7f]$/

/**
 * Whether the column contains the text, ignoring case; the text has no wildcards. The same in databases of every
 * locale: `lower()` knows only ASCII in one, and in another a Turkish `i`.
 */
export function containsIgnoringCase(column: SQLWrapper, text: string): SQL {
  return sql`${column} ~ ${patternOf(text)}`
}

/** Whether the column begins with the text, in the same way, found with the index `lower(column) text_pattern_ops`. */
export function startsWithIgnoringCase(column: SQLWrapper, text: string): SQL {
  // The index has what this database makes of a name, so it is asked for what the database makes of the prefix.
  const isIndexed = or(
    ...prefixesOf(text).map(prefix => sql`lower(${column}) like lower(${startsWith(prefix)})`),
  )
  return sql`((${isIndexed}) and ${column} ~ ${`^${patternOf(text)}`})`
}

/** A regular expression of PostgreSQL's that spells out both cases of each character. */
function patternOf(text: string): string {
  return [...text]
    .map(character => {
      const cases = casesOf(character)
      return cases.length > 1 ? `[${cases.join('')}]` : character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')
    })
    .join('')
}

/** As much of the text as fits, in every combination of cases that an index may tell apart. */
function prefixesOf(text: string): string[] {
  let prefixes = ['']
  for (const character of text) {
    const cases = PLAIN_CHARACTER.test(character) ? [character] : casesOf(character)
    if (prefixes.length * cases.length > MAX_PREFIXES) break
    prefixes = prefixes.flatMap(prefix => cases.map(other => prefix + other))
  }
  return prefixes
}

/** The character in each case, as far as that is a single character. */
function casesOf(character: string): string[] {
  const upper = character.toUpperCase()
  const cases = [character, upper, character.toLowerCase(), upper.toLowerCase()]
  if (upper === 'Σ') cases.push(...SIGMAS)
  return [...new Set(cases)].filter(other => [...other].length === 1)
}
